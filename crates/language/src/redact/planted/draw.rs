//! A small seeded generator (xorshift), so that no test needs a random-number crate.

/// Draws numbers and strings; the same seed gives the same ones.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        let mut draw = Draw(seed | 1);
        // Small seeds start with small numbers; skip them.
        for _ in 0..16 {
            draw.number();
        }
        draw
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() >> 11) as usize % limit.max(1)
    }

    /// A string of `length` letters from `alphabet`.
    pub fn from(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }

    pub fn alnum(&mut self, length: usize) -> String {
        self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
    }

    /// Letters, digits, `_` and `-`; begins and ends with a letter or digit.
    pub fn token(&mut self, length: usize) -> String {
        let inner = self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", length - 2);
        self.alnum(1) + &inner + &self.alnum(1)
    }

    pub fn base64(&mut self, length: usize) -> String {
        self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", length)
    }

    pub fn hex(&mut self, length: usize) -> String {
        self.from("0123456789abcdef", length)
    }

    pub fn upper(&mut self, length: usize) -> String {
        self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)
    }

    pub fn lower(&mut self, length: usize) -> String {
        self.from("abcdefghijklmnopqrstuvwxyz0123456789", length)
    }

    pub fn base32(&mut self, length: usize) -> String {
        self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)
    }

    pub fn digits(&mut self, length: usize) -> String {
        self.from("123456789", length)
    }

    pub fn uuid(&mut self) -> String {
        let parts = [8, 4, 4, 4, 12].map(|length| self.hex(length));
        parts.join("-")
    }

    /// A password as generators make it: letters, digits, a sign, and more of them.
    pub fn password(&mut self, length: usize) -> String {
        let rest = self.from("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!^*?~", length - 3);
        self.from("ABCDEFGHJKLMNPQRSTUVWXYZ", 1) + &self.digits(1) + &rest + "!"
    }
}
