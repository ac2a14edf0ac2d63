//! Which commit did git report?
//!
//! `git commit` prints the branch, the hash and the subject: `[main 1a2b3c4] Keep carts`.

/// A commit as a line of output names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeCommit<'a> {
    /// The first digits of its hash.
    pub hash: &'a str,
    pub subject: &'a str,
}

/// Fewer digits of a hash are no proof.
pub const SHORTEST_HASH: usize = 7;

/// `[main 1a2b3c4] Keep carts`, `[main (root-commit) 1a2b3c4] Keep carts`.
pub fn made_commit(line: &str) -> Option<MadeCommit<'_>> {
    let (inside, subject) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let (_, hash) = inside.rsplit_once(' ')?;
    let is_hash = hash.len() >= SHORTEST_HASH && hash.chars().all(|c| c.is_ascii_hexdigit());
    is_hash.then_some(MadeCommit { hash, subject: subject.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_git_prints_names_a_commit() {
        let hash = |line| made_commit(line).map(|made| made.hash);
        assert_eq!(made_commit("[main 1a2b3c4] Keep carts").map(|made| made.subject), Some("Keep carts"));
        assert_eq!(hash("[detached HEAD 1a2b3c4d] Keep"), Some("1a2b3c4d"));
        assert_eq!(hash("[main (root-commit) 1a2b3c4] Keep"), Some("1a2b3c4"));
        for nothing in ["1a2b3c4 Keep carts", "[1a2b3c4] Keep", "[main 1a2b] x", "[INFO] x", "[a decade] x", "[x"] {
            assert_eq!(hash(nothing), None, "{nothing}");
        }
    }
}
