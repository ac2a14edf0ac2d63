//! Replaces an id by another one of the same shape.

/// A number that depends on every byte, and on the seed, the same on every machine.
pub fn hash(bytes: &[u8], seed: u64) -> u64 {
    let start = scramble(seed ^ 0xcbf2_9ce4_8422_2325);
    scramble(bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
}

/// The next number after a result of `hash` or of this function.
pub fn scramble(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Ids that are recognised by their prefix.
const ID_PREFIXES: [&[u8]; 5] = [b"msg_", b"req_", b"toolu_", b"srvtoolu_", b"call_"];

pub const UUID_LENGTH: usize = 36;

pub fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == UUID_LENGTH
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The length of the prefix of `toolu_01F74kyEsK4Wjf5xqWDXKdt2` that names the kind of id; None for `call_site` and
/// `msg_001`.
pub fn id_prefix(word: &[u8]) -> Option<usize> {
    const SHORTEST_REST: usize = 16;
    let prefix = ID_PREFIXES.iter().find(|prefix| word.starts_with(prefix))?.len();
    let rest = &word[prefix..];
    (rest.len() >= SHORTEST_REST && !rest.contains(&b'_')).then_some(prefix)
}

/// Appends an id that looks like `id`, always the same one for the same seed.
pub fn disguise(id: &[u8], seed: u64, out: &mut Vec<u8>) {
    if is_uuid(id) {
        return disguise_uuid(id, seed, out);
    }
    // The first letter stays for the same reason as a uuid's first digits.
    let prefix = id_prefix(id).unwrap_or(id.len().min(1));
    out.extend_from_slice(&id[..prefix]);
    let hexadecimal = id.iter().all(u8::is_ascii_hexdigit);
    let letters = if hexadecimal { 6 } else { 26 };
    // Every position is shifted by its own number, the same for all ids, so that different ids, however short, stay
    // different.
    let mut number = hash(&id[..prefix], seed ^ id.len() as u64);
    out.extend(id[prefix..].iter().map(|byte| {
        number = scramble(number);
        match byte {
            b'0'..=b'9' => turned(*byte, b'0', 10, number),
            b'a'..=b'z' => turned(*byte, b'a', letters, number),
            b'A'..=b'Z' => turned(*byte, b'A', letters, number),
            other => *other,
        }
    }));
}

fn turned(byte: u8, first: u8, count: u64, by: u64) -> u8 {
    first + ((u64::from(byte - first) + by % count) % count) as u8
}

/// Two digits stay because files are read in the order of their names, and a
/// resumed session's records belong to the file that is read first. Version and
/// variant stay because programs may check them.
fn disguise_uuid(id: &[u8], seed: u64, out: &mut Vec<u8>) {
    let mut number = hash(id, seed);
    out.extend(id.iter().enumerate().map(|(at, byte)| {
        number = scramble(number);
        match at {
            0 | 1 | 8 | 13 | 14 | 18 | 19 | 23 => *byte,
            _ => b"0123456789abcdef"[(number % 16) as usize],
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disguised(id: &str, seed: u64) -> String {
        let mut out = Vec::new();
        disguise(id.as_bytes(), seed, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn keeps_the_shape_and_changes_with_the_seed() {
        let uuid = "258c7280-ae70-4798-800f-63464d01a85d";
        let other = disguised(uuid, 1);
        assert!(is_uuid(other.as_bytes()), "{other}");
        assert_eq!((&other[14..15], &other[19..20]), ("4", "8"));
        assert_ne!(other, uuid);
        assert_ne!(other, disguised(uuid, 2));
        assert_eq!(other, disguised(uuid, 1));
        let tool = disguised("toolu_01F74kyEsK4Wjf5xqWDXKdt2", 1);
        assert!(tool.starts_with("toolu_") && tool.len() == 30, "{tool}");
        assert_ne!(disguised("msg_001", 1), disguised("msg_002", 1));
    }
}
