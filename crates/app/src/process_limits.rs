//! What if a file may not grow any more? How much memory may threads keep to themselves?
//!
//! Beyond the limit of `ulimit -f` a Unix system ends the process that writes,
//! unless it handles the signal. A hook must not end that way, and nobody should: a
//! process that handles it gets an error from the write, like that of a full disk.

/// For as long as the process runs. Where it cannot be done nothing changes.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    // Nobody reads the flag: that there is a handler is enough. A flag needs neither
    // an event loop nor a socket pair, and this runs at the start of every command.
    let received = Arc::new(AtomicBool::new(false));
    drop(signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), received));
}

#[cfg(not(unix))]
pub fn survive_file_size_limit() {}

/// For servers, which run for days: all threads allocate from one heap.
///
/// glibc gives each thread a heap of its own, up to eight for each core, and returns of
/// them only what lies at the end. Each of them grows until it holds the largest answer
/// that its thread ever made, and then slowly on. The number of heaps can only be said
/// before a process starts, so this one starts once more, in the same process. Where that
/// cannot be done, or somebody has said otherwise, all stays as it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_one_heap() {
    use std::os::unix::process::CommandExt;
    const HEAPS: &str = "MALLOC_ARENA_MAX";
    if crate::environment::is_set(HEAPS) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut typed = std::env::args_os();
    let mut again = std::process::Command::new(program);
    if let Some(name) = typed.next() {
        again.arg0(name);
    }
    again.args(typed).env(HEAPS, "1");
    // It comes back only where it failed.
    drop(crate::permissions::with_umask_of_person(|| again.exec()));
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_one_heap() {}
