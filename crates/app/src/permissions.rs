//! Who may read what is written?
//!
//! Only its owner, whatever the umask says: the memory holds what people typed, and so does what is exported from it.
//! Files that are meant for others ask for the rights that the person's umask gives.

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

    use super::Path;

    static UMASK: OnceLock<u32> = OnceLock::new();
    /// What others may do with a file.
    const OTHERS: u32 = 0o077;
    /// The home's folders lie no deeper.
    const DEEPEST: usize = 6;

    /// From now on, for this process. Before there are threads.
    pub fn keep_private() {
        let before = rustix::process::umask(Mode::from_raw_mode(OTHERS as _));
        let _ = UMASK.set(before.as_raw_mode() as u32);
    }

    /// Does this with the umask that the process was started with: a program that takes its place must find the
    /// person's, not ours. Before there are threads.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    pub fn with_umask_of_person<T>(work: impl FnOnce() -> T) -> T {
        let Some(before) = UMASK.get() else { return work() };
        let ours = rustix::process::umask(Mode::from_raw_mode(*before as _));
        let done = work();
        rustix::process::umask(ours);
        done
    }

    /// Gives a new file or folder the rights that it would have without [`keep_private`].
    pub fn share(path: &Path) -> std::io::Result<()> {
        let all = if path.is_dir() { 0o777 } else { 0o666 };
        set_permissions(path, Permissions::from_mode(all & !UMASK.get().copied().unwrap_or(0o022)))
    }

    /// Takes from others what an earlier version let them read. The home itself stays as it is: somebody may have
    /// made it.
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
                // What belongs to somebody else stays as it is.
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

    /// The umask that a new program starts with.
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
