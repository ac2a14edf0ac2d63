//! The places in which sessions show a text: a diff, a log, a JSON string.

/// A name, and a function that wraps a text.
pub(super) type Carrier = (&'static str, fn(&str) -> String);

pub(super) const CARRIERS: &[Carrier] = &[
    ("plain", plain),
    ("json string", json_string),
    ("json twice", json_twice),
    ("diff added", diff_added),
    ("diff removed", diff_removed),
    ("grep -n", grep_numbered),
    ("grep -rn", grep_with_path),
    ("cat -n", cat_numbered),
    ("log line", log_line),
    ("markdown fence", markdown_fence),
    ("quoted", quoted),
    ("history", history),
    ("nested yaml", nested),
    ("windows", windows),
];

fn plain(text: &str) -> String {
    text.to_owned()
}

fn json_string(text: &str) -> String {
    format!("{{\"type\":\"tool_result\",\"content\":\"{}\",\"is_error\":false}}", escape(text))
}

fn json_twice(text: &str) -> String {
    format!("{{\"line\":\"{}\"}}", escape(&json_string(text)))
}

fn diff_added(text: &str) -> String {
    format!("@@ -1,3 +1,9 @@\n context\n{}\n context", each_line(text, |_, line| format!("+{line}")))
}

fn diff_removed(text: &str) -> String {
    each_line(text, |_, line| format!("-{line}"))
}

fn grep_numbered(text: &str) -> String {
    each_line(text, |number, line| format!("{}:{line}", number + 11))
}

fn grep_with_path(text: &str) -> String {
    each_line(text, |number, line| format!("deploy/prod.conf:{}:{line}", number + 3))
}

fn cat_numbered(text: &str) -> String {
    each_line(text, |number, line| format!("{:>6}\t{line}", number + 1))
}

fn log_line(text: &str) -> String {
    each_line(text, |number, line| format!("2026-03-04T10:15:{:02}.123Z INFO [worker-3] {line}", number % 60))
}

fn markdown_fence(text: &str) -> String {
    format!("Do this:\n\n```\n{text}\n```\n\nThen go on.")
}

fn quoted(text: &str) -> String {
    each_line(text, |_, line| format!("> {line}"))
}

fn history(text: &str) -> String {
    each_line(text, |number, line| format!("  {}  {line}", number + 501))
}

fn nested(text: &str) -> String {
    format!("services:\n  shop:\n{}\n    restart: always", each_line(text, |_, line| format!("    {line}")))
}

fn windows(text: &str) -> String {
    format!("C:\\Users\\jan\\shop> type notes.txt\r\n{}\r\n", text.replace('\n', "\r\n"))
}

fn each_line(text: &str, prefix: impl Fn(usize, &str) -> String) -> String {
    let lines: Vec<String> = text.lines().enumerate().map(|(number, line)| prefix(number, line)).collect();
    lines.join("\n")
}

/// The text as written inside a JSON string.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}
