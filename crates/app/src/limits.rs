//! What if a file may not grow any more?
//!
//! Beyond the limit of `ulimit -f` a Unix system ends the process that writes,
//! unless it minds the signal. A hook must not end that way, and nobody should: who
//! minds it gets an error from the write, like that of a full disk.

/// For as long as the process runs. Where it cannot be done all stays as it was.
#[cfg(unix)]
pub fn outlive() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let _entered = runtime.enter();
    // What was registered stays registered when the runtime is gone.
    drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())));
}

#[cfg(not(unix))]
pub fn outlive() {}
