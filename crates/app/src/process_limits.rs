//! Handles the file size limit, and limits the memory of threads.
//!
//! Beyond the limit of `ulimit -f`, Unix kills the writing process unless it handles the signal. A process with a
//! handler gets an error from the write, as on a full disk.

/// Applies to the whole process. On failure nothing changes.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    // Nobody reads the flag: the handler is sufficient. A flag needs neither an event loop nor a socket pair, and this
    // runs at the start of every command.
    let received = Arc::new(AtomicBool::new(false));
    drop(signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), received));
}

#[cfg(not(unix))]
pub fn survive_file_size_limit() {}

/// For long-running servers: all threads allocate from one heap.
///
/// glibc gives each thread its own heap, up to eight per core, and returns only free memory at their ends. Each grows
/// to the largest answer of its thread, and then slowly further. The number of heaps can only be set before a process
/// starts, so this one restarts itself. If that fails, or the variable is set already, nothing changes.
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
    // Returns only on failure.
    drop(crate::permissions::with_umask_of_person(|| again.exec()));
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_one_heap() {}
