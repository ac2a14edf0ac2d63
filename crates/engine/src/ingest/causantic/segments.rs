//! Splits Causantic's rendered text into blocks, which have headings in brackets.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    User,
    Assistant,
    Thinking,
    Call(String),
    Result(String),
}

/// The blocks of a chunk. The first has no kind if it continues the last block of the previous chunk.
pub(super) fn split(content: &str) -> Vec<(Option<BlockKind>, &str)> {
    let mut blocks = Vec::new();
    let (mut kind, mut from, mut at) = (None, 0, 0);
    for line in content.split_inclusive('\n') {
        let stands_alone = at == 0 || content[..at].ends_with("\n\n");
        if let Some(found) = heading(line).filter(|_| stands_alone) {
            push(&mut blocks, kind.replace(found), &content[from..at]);
            from = at + line.len();
        }
        at += line.len();
    }
    push(&mut blocks, kind, &content[from..]);
    blocks
}

fn push<'a>(blocks: &mut Vec<(Option<BlockKind>, &'a str)>, kind: Option<BlockKind>, text: &'a str) {
    let text = text.strip_suffix("\n\n").unwrap_or(text);
    if !text.trim().is_empty() || matches!(kind, Some(BlockKind::Call(_))) {
        blocks.push((kind, text));
    }
}

fn heading(line: &str) -> Option<BlockKind> {
    let name = line.trim_end_matches('\n').strip_prefix('[')?.strip_suffix(']')?;
    let tool = |name: &str| (!name.is_empty() && !name.contains([']', '[', ' '])).then(|| name.to_owned());
    match name {
        "User" => Some(BlockKind::User),
        "Assistant" => Some(BlockKind::Assistant),
        "Thinking" => Some(BlockKind::Thinking),
        _ => match name.split_once(':')? {
            ("Tool", name) => tool(name).map(BlockKind::Call),
            ("Result", name) => tool(name).map(BlockKind::Result),
            _ => None,
        },
    }
}
