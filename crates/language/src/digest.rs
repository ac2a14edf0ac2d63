//! 128-bit content digests: BLAKE3, never a clock or a random number.

use std::fmt;

/// The 16 bytes behind every id and every span hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 16]);

/// Hashes length-prefixed parts under a domain name, so that neither two
/// domains nor two different splits of the same bytes can collide.
pub fn digest_of(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(domain.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut out = [0; 16];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Digest(out)
}

/// The hash of a quoted piece of text.
pub fn span_hash(text: &str) -> Digest {
    digest_of("span", &[text.as_bytes()])
}

impl Digest {
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Digest)
    }

    /// The first and last digest whose hexadecimal form starts with this prefix.
    pub fn range_of_prefix(hex: &str) -> Option<(Self, Self)> {
        if hex.len() > 32 {
            return None;
        }
        Some((Self::parse(&format!("{hex:0<32}"))?, Self::parse(&format!("{hex:f<32}"))?))
    }

    /// Parses the 32 hexadecimal digits that `Display` prints.
    pub fn parse(hex: &str) -> Option<Self> {
        if hex.len() != 32 || !hex.is_ascii() {
            return None;
        }
        let mut out = [0; 16];
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok()?;
        }
        Some(Digest(out))
    }
}

impl Digest {
    /// The id of a host's record: hosts use UUIDs, which are 16 bytes already;
    /// anything else is hashed.
    pub fn of_record(id: &str) -> Self {
        Self::from_uuid(id).unwrap_or_else(|| digest_of("record", &[id.as_bytes()]))
    }

    fn from_uuid(id: &str) -> Option<Self> {
        let bytes = id.as_bytes();
        if bytes.len() != 36 || [8, 13, 18, 23].iter().any(|dash| bytes[*dash] != b'-') {
            return None;
        }
        let mut out = [0; 16];
        let mut digits = bytes.iter().enumerate().filter(|(at, _)| ![8, 13, 18, 23].contains(at)).map(|(_, byte)| byte);
        for byte in &mut out {
            *byte = (digit(*digits.next()?)? << 4) | digit(*digits.next()?)?;
        }
        Some(Digest(out))
    }

    /// 32 hexadecimal digits. An ingest formats a hundred thousand ids, so this avoids `format!`.
    fn hex(&self) -> [u8; 32] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 32];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        hex
    }
}

/// Upper-case digits make another id: hosts write ids verbatim.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.hex()).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.hex()).unwrap_or_default())
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Digest::parse(&hex).ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))
    }
}

/// Types of ids, each a digest.
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $crate::digest::Digest);

        impl $name {
            pub fn from_slice(bytes: &[u8]) -> Option<Self> {
                $crate::digest::Digest::from_slice(bytes).map($name)
            }

            pub fn parse(hex: &str) -> Option<Self> {
                $crate::digest::Digest::parse(hex).map($name)
            }

            pub fn as_bytes(&self) -> &[u8] {
                &self.0.0
            }

            /// The first digits: enough to distinguish ids on a screen.
            pub fn short(&self) -> String {
                self.to_string()[..12].to_owned()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, f)
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_length_prefixed() {
        assert_ne!(digest_of("d", &[b"ab", b"c"]), digest_of("d", &[b"a", b"bc"]));
        assert_ne!(digest_of("d", &[b"a"]), digest_of("e", &[b"a"]));
    }

    #[test]
    fn records_are_told_apart() {
        let uuid = Digest::of_record("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
        assert_eq!(uuid.to_string(), "6ba7b8109dad11d180b400c04fd430c8");
        assert_ne!(uuid, Digest::of_record("6BA7B810-9dad-11d1-80b4-00c04fd430c8"));
        assert_ne!(Digest::of_record("a1"), Digest::of_record("a2"));
    }

    #[test]
    fn hex_round_trip() {
        let digest = digest_of("d", &[b"x"]);
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("zz"), None);
        let (low, high) = Digest::range_of_prefix("a").unwrap_or((digest, digest));
        assert_eq!((low.0[0], high.0[0]), (0xa0, 0xaf));
        assert_eq!(Digest::range_of_prefix("x"), None);
        assert_eq!(Digest::parse("é2345678901234567890123456789012"), None);
    }
}
