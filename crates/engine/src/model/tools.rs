//! Tools that the hosts of agents have in common.

/// Changes one file; the text of the call is what was there and what is now.
pub fn edits_file(tool: &str) -> bool {
    matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}

/// Changes files, in whatever form.
pub fn writes_files(tool: &str) -> bool {
    edits_file(tool) || tool == "apply_patch"
}
