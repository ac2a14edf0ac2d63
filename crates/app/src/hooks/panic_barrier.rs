//! Keeps panics from reaching the host.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{AppError, ErrorKind};

/// Runs an action; a panic becomes a fault that names its location and prints nothing. The panic message may quote the
/// input, so it is left out.
pub fn run<T>(action: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    let place = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&place);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let at = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(action));
    panic::set_hook(before);
    done.unwrap_or_else(|_| {
        let place = place.lock().unwrap_or_else(PoisonError::into_inner).take();
        let message = format!("an error in Backstory itself, at {}", place.as_deref().unwrap_or("an unknown place"));
        Err(AppError::new(ErrorKind::Failed, message)
            .hint("A newer version may have fixed it; if not, report the place that is named."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_without_its_words() {
        let fault = run(|| -> Result<(), AppError> {
            let words: Vec<&str> = "a secret".split(' ').collect();
            Err(AppError::new(ErrorKind::Failed, words[words.len()]))
        });
        let fault = fault.err().map(|error| error.message).unwrap_or_default();
        assert!(
            fault.starts_with("an error in Backstory itself, at ") && fault.contains("panic_barrier.rs:"),
            "{fault}"
        );
        assert_eq!(run(|| Ok(7)).ok(), Some(7));
    }
}
