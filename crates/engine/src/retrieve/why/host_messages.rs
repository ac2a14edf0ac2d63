//! Does a host message only say how an edit must be written?

/// The beginnings of such messages, without the tag that newer hosts put around them.
const BEGINNINGS: [&str; 12] = [
    "File has not been read yet",
    "File has been modified since read",
    "File has been unexpectedly modified",
    "File does not exist",
    "File is too large",
    "Found ",
    "No changes to make",
    "String to replace not found",
    "InputValidationError",
    "Cannot create new file",
    // Codex.
    "apply_patch verification failed",
    "Failed to find ",
];

pub fn is_host_message(output: &str) -> bool {
    let start = output.trim_start();
    if start.starts_with("<tool_use_error>") {
        return true;
    }
    let start = start.strip_prefix("Error: ").unwrap_or(start);
    BEGINNINGS.iter().any(|beginning| start.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_that_the_host_did_not_take_is_no_attempt() {
        for message in [
            "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
            "String to replace not found in file.\nString: total",
            "Error: Found 2 matches of the string to replace, but replace_all is false.",
            "apply_patch verification failed: Failed to find expected lines in src/cart.ts",
        ] {
            assert!(is_host_message(message), "{message}");
        }
        for attempt in ["PreToolUse:Edit hook error: no clocks in here", "permission denied", ""] {
            assert!(!is_host_message(attempt), "{attempt}");
        }
    }
}
