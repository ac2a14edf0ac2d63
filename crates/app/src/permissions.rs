//! File permissions.
//!
//! Only the owner may read our files, whatever the umask: the memory and its exports contain what people typed. Files
//! for others get the permissions of the person's umask.

#[cfg(not(unix))]
use std::path::Path;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use unix::with_umask_of_person;
#[cfg(unix)]
pub use unix::{keep_private, share, tighten};

#[cfg(unix)]
mod unix {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::sync::OnceLock;

    use rustix::fs::Mode;

    use std::path::Path;

    static UMASK: OnceLock<u32> = OnceLock::new();
    /// The permission bits of others.
    const OTHERS: u32 = 0o077;
    /// The maximum depth of the home's folders.
    const DEEPEST: usize = 6;

    /// Applies to the whole process. Must run before threads start.
    pub fn keep_private() {
        let before = rustix::process::umask(Mode::from_raw_mode(OTHERS as _));
        let _ = UMASK.set(before.as_raw_mode() as u32);
    }

    /// Runs an action with the original umask: a program that replaces this process must inherit the person's, not
    /// ours. Must run before threads start.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    pub fn with_umask_of_person<T>(work: impl FnOnce() -> T) -> T {
        let Some(before) = UMASK.get() else { return work() };
        let ours = rustix::process::umask(Mode::from_raw_mode(*before as _));
        let done = work();
        rustix::process::umask(ours);
        done
    }

    /// Gives a new file or folder the permissions that it would have without [`keep_private`].
    pub fn share(path: &Path) -> std::io::Result<()> {
        let all = if path.is_dir() { 0o777 } else { 0o666 };
        set_permissions(path, Permissions::from_mode(all & !UMASK.get().copied().unwrap_or(0o022)))
    }

    /// Removes others' permissions that an earlier version gave. The home itself is left unchanged: a person may have
    /// created it.
    pub fn tighten(home: &Path) {
        tighten_inside(home, 0);
    }

    fn tighten_inside(folder: &Path, depth: usize) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_symlink() {
                continue;
            }
            let mode = metadata.permissions().mode();
            if mode & OTHERS != 0 {
                // Files of other owners are left unchanged.
                let _ = set_permissions(entry.path(), Permissions::from_mode(mode & !OTHERS));
            }
            if metadata.is_dir() && depth < DEEPEST {
                tighten_inside(&entry.path(), depth + 1);
            }
        }
    }
}

#[cfg(not(unix))]
pub fn keep_private() {}

#[cfg(not(unix))]
pub fn share(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn tighten(_: &Path) {}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::process::Command;

    use rustix::fs::Mode;

    use super::*;

    /// The umask of a new program.
    fn umask_of_child() -> String {
        let output = Command::new("sh").args(["-c", "umask"]).output().expect("a shell");
        String::from_utf8_lossy(&output.stdout).trim().trim_start_matches('0').to_owned()
    }

    #[test]
    fn a_program_that_takes_our_place_finds_the_umask_of_the_person() {
        let before = rustix::process::umask(Mode::from_raw_mode(0o022));
        keep_private();
        assert_eq!(umask_of_child(), "77");
        assert_eq!(with_umask_of_person(umask_of_child), "22");
        assert_eq!(umask_of_child(), "77", "it is ours again where nothing took our place");
        rustix::process::umask(before);
    }
}
