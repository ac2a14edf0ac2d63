//! Which tools write files, under the names of all hosts?

/// Changes one file; the text of the call has the old and the new lines.
pub fn edits_file(tool: &str) -> bool {
    matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}

/// Changes files, in any form.
pub fn writes_files(tool: &str) -> bool {
    edits_file(tool) || tool == "apply_patch"
}
