//! Which repository does a remote's URL name, in any spelling?

use std::path::Path;

use backstory_files::git::small;

/// A remote as the log stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// `host/path`, or a path on this machine.
    pub text: String,
    /// Do clones of it belong together? Yes for a server's repository or a bare one on this
    /// machine; not for a working copy: many projects start as a clone of one template.
    pub is_meeting_place: bool,
}

impl Remote {
    /// `place`: the working tree that a relative path is resolved from.
    pub fn new(url: &str, place: &Path) -> Self {
        let path = local_path(url);
        let is_meeting_place = path.is_none_or(|path| is_bare(&place.join(path)));
        Remote { text: normal(url), is_meeting_place }
    }
}

/// Do two stored remotes name one repository?
pub fn is_same(a: &str, b: &str) -> bool {
    a == b || folded(a) == folded(b)
}

/// The same repository by any protocol: removes scheme, user, password and port.
pub fn normal(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = match rest.split_once('@') {
        Some((user, host)) if !user.contains('/') => host,
        _ => rest,
    };
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    match rest.split_once([':', '/']) {
        Some((host, path)) if url.contains("://") || url.contains('@') => {
            let (port, path) = match path.split_once('/') {
                Some((port, path)) if is_port(rest, host, port) => (port, path),
                _ => ("", path),
            };
            let host = host.to_ascii_lowercase();
            // Only the port distinguishes servers on this machine.
            let port = if is_loopback(&host) && !port.is_empty() { format!(":{port}") } else { String::new() };
            format!("{host}{port}/{}", path.trim_start_matches('/'))
        }
        _ => rest.to_owned(),
    }
}

fn is_port(rest: &str, host: &str, port: &str) -> bool {
    rest[host.len()..].starts_with(':') && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.starts_with("127.") || host == "[" || host == "0.0.0.0"
}

/// The path that a URL names on this machine, if it is no server's.
fn local_path(url: &str) -> Option<&str> {
    if let Some(path) = url.strip_prefix("file://") {
        return Some(path);
    }
    let is_drive = url.as_bytes().get(1) == Some(&b':') && url.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    let has_host = url.contains("://") || url.split('/').next().is_some_and(|first| first.contains(':'));
    (is_drive || !has_host).then_some(url)
}

fn is_bare(folder: &Path) -> bool {
    let with_suffix = folder.with_extension("git");
    [folder, &with_suffix].iter().any(|folder| {
        small::is_regular(&folder.join("HEAD"))
            && folder.join("objects").is_dir()
            && std::fs::symlink_metadata(folder.join(".git")).is_err()
    })
}

/// Hosts whose paths ignore case.
const CASELESS: [&str; 6] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com", "git.sr.ht"];

/// Alternative names of hosts.
const ALIASES: [(&str, &str); 6] = [
    ("www.github.com", "github.com"),
    ("ssh.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("www.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
    ("ssh.dev.azure.com", "dev.azure.com"),
];

/// The form in which two spellings of one remote are equal.
fn folded(remote: &str) -> String {
    let remote = remote.trim_end_matches('/');
    let remote = remote.strip_suffix(".git").unwrap_or(remote);
    if remote.starts_with(['/', '.']) || remote.contains('\\') {
        return remote.to_owned();
    }
    // Earlier versions stored `host:path` without a user as it was written.
    let (host, path) = remote.split_once(['/', ':']).unwrap_or((remote, ""));
    let host = host.to_ascii_lowercase();
    let host = ALIASES.iter().find(|(alias, _)| *alias == host).map_or(host.as_str(), |(_, host)| host).to_owned();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let path = match parts.as_slice() {
        ["v3", rest @ ..] if host == "dev.azure.com" => rest.join("/"),
        parts if host == "dev.azure.com" => {
            parts.iter().filter(|part| **part != "_git").copied().collect::<Vec<_>>().join("/")
        }
        parts => parts.join("/"),
    };
    let path = if CASELESS.contains(&host.as_str()) { path.to_lowercase() } else { path };
    format!("{host}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_remote_by_many_roads() {
        for url in [
            "https://github.com/ada/shop.git",
            "https://user:pass@github.com/ada/shop",
            "git@github.com:ada/shop.git",
            "ssh://git@GitHub.com:22/ada/shop.git/",
        ] {
            assert_eq!(normal(url), "github.com/ada/shop", "{url}");
        }
        assert_eq!(normal("/srv/git/shop.git"), "/srv/git/shop");
        assert_eq!(normal("https://github.com/1shop/sdk"), "github.com/1shop/sdk");
        assert_eq!(normal("git@github.com:1shop/sdk.git"), "github.com/1shop/sdk");
        assert_eq!(normal("http://localhost:3000/ada/shop.git"), "localhost:3000/ada/shop");
    }

    #[test]
    fn spellings_of_one_remote_are_equal() {
        let same = |a: &str, b: &str| is_same(&normal(a), &normal(b));
        assert!(same("https://github.com/Ada/Shop", "git@github.com:ada/shop.git"));
        assert!(same("ssh://git@ssh.github.com:443/ada/shop.git", "https://github.com/ada/shop"));
        assert!(same("github.com:ada/shop.git", "https://github.com/ada/shop"));
        assert!(same("git@ssh.dev.azure.com:v3/org/p/shop", "https://org@dev.azure.com/org/p/_git/shop"));
        assert!(same("https://gitlab.corp.example:8443/a//shop/", "ssh://git@gitlab.corp.example:2222/a/shop.git"));
        assert!(!same("https://git.example.com/Ada/shop", "https://git.example.com/ada/shop"), "may tell case apart");
        assert!(!same("http://localhost:3000/ada/shop", "http://localhost:4000/ada/shop"));
        assert!(!same("https://github.com/ada/shop", "https://gitlab.com/ada/shop"));
        assert!(!same("https://github.com/ada/shop", "https://github.com/bob/shop"));
    }

    #[test]
    fn a_working_copy_is_no_meeting_place() {
        let here = Path::new("/nowhere/shop");
        assert!(Remote::new("git@github.com:ada/shop.git", here).is_meeting_place);
        assert!(Remote::new("host.example:shop.git", here).is_meeting_place);
        for path in ["/srv/templates/app", "../template", "file:///srv/app", r"C:\templates\app"] {
            assert!(!Remote::new(path, here).is_meeting_place, "{path}");
        }
    }
}
