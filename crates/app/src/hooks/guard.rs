//! Nothing that happens inside may reach the host.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

/// Runs it; a panic becomes a fault that says where, and prints nothing. What a
/// panic says may quote what was read, so it is left out.
pub fn catching<T>(action: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
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
        Err(format!("an error in Backstory itself, at {}", place.as_deref().unwrap_or("an unknown place")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_without_its_words() {
        let fault = catching(|| -> Result<(), String> {
            let words: Vec<&str> = "a secret".split(' ').collect();
            Err(words[words.len()].to_owned())
        });
        let fault = fault.err().unwrap_or_default();
        assert!(fault.starts_with("an error in Backstory itself, at ") && fault.contains("guard.rs:"), "{fault}");
        assert_eq!(catching(|| Ok(7)), Ok(7));
    }
}
