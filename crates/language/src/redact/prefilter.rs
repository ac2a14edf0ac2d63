//! Finds every occurrence of a few hundred short literals in one fast pass.
//!
//! Of two neighbouring three-byte grams of a literal, one begins at an even position,
//! wherever the literal stands. So the pass looks at even positions only, hashes the
//! gram there, and looks it up in a table of 64 KiB together with the byte after it.
//! Only where that has an entry are literals compared in full.
//!
//! The cost hardly depends on the number of literals, of which there are some 480. Tried
//! before, on the same sessions: an Aho-Corasick automaton (a load a byte, each of which
//! waits for the last) reached 450 MB/s; Teddy takes 64 literals at most, and with two or
//! three searchers for all of them reached 600 MB/s. This reaches 2 GB/s.

/// How much text is looked at in one go.
const BLOCK: usize = 16;
/// A block and the bytes after it that its last gram, and the byte after it, reach.
const WINDOW: usize = BLOCK + 4;
const HASH_BITS: u32 = 16;
const HASHES: usize = 1 << HASH_BITS;
/// Of 900 multipliers tried, the one that confuses anchors least with common text. Its
/// low byte is zero, so that only the low three bytes of a gram count.
const SPREAD: u32 = 0x8566_9100;

/// A literal to look for.
pub(super) struct Literal {
    pub(super) text: &'static str,
    /// Whether letter case is ignored (then `text` is lower case).
    pub(super) any_case: bool,
    /// What may come after it; needed only for a literal of three bytes.
    pub(super) followers: &'static [u8],
}

/// One gram of one literal: which literal, and where in it the gram stands.
#[derive(Clone, Copy)]
struct Gram {
    literal: u16,
    offset: u8,
}

pub(super) struct Prefilter {
    literals: Vec<Literal>,
    /// For each hash, which bytes may follow its grams: a bit for each `byte & 7`.
    followers: Box<[u8; HASHES]>,
    /// The bucket of each hash; bucket 0 is empty.
    bucket_of: Vec<u16>,
    buckets: Vec<Vec<Gram>>,
}

impl Prefilter {
    pub(super) fn new(literals: Vec<Literal>) -> Self {
        let mut filter = Prefilter {
            literals: Vec::new(),
            followers: Box::new([0; HASHES]),
            bucket_of: vec![0; HASHES],
            buckets: vec![Vec::new()],
        };
        for (index, literal) in literals.iter().enumerate() {
            filter.add_grams(index as u16, literal);
        }
        filter.literals = literals;
        filter
    }

    /// Calls `on_hit(literal, position)` for each occurrence, roughly in text order.
    #[inline]
    pub(super) fn scan(&self, text: &[u8], mut on_hit: impl FnMut(usize, usize)) {
        let mut rest = text;
        while let Some(window) = rest.first_chunk() {
            self.scan_window(text, window, text.len() - rest.len(), &mut on_hit);
            rest = &rest[BLOCK..];
        }
        // What is left is shorter than a window: pad it with bytes no literal holds.
        let mut padded = [0; BLOCK + WINDOW];
        padded[..rest.len()].copy_from_slice(rest);
        for offset in (0..rest.len()).step_by(BLOCK) {
            if let Some(window) = padded[offset..].first_chunk() {
                self.scan_window(text, window, text.len() - rest.len() + offset, &mut on_hit);
            }
        }
    }

    #[inline(always)]
    fn scan_window(&self, text: &[u8], window: &[u8; WINDOW], base: usize, on_hit: &mut impl FnMut(usize, usize)) {
        let probe =
            |at: usize| self.followers[hash_of(gram_at(window, at))] & FOLLOWER_BITS[usize::from(window[at + 3])];
        // Written out: as a loop it is neither unrolled nor fast.
        let any = probe(0) | probe(2) | probe(4) | probe(6) | probe(8) | probe(10) | probe(12) | probe(14);
        if any != 0 {
            self.scan_candidates(text, window, base, on_hit);
        }
    }

    #[inline(never)]
    fn scan_candidates(&self, text: &[u8], window: &[u8; WINDOW], base: usize, on_hit: &mut impl FnMut(usize, usize)) {
        for at in (0..BLOCK).step_by(2) {
            let hash = hash_of(gram_at(window, at));
            if self.followers[hash] & follower_bit(window[at + 3]) != 0 {
                self.verify(text, base + at, hash, on_hit);
            }
        }
    }

    fn verify(&self, text: &[u8], at: usize, hash: usize, on_hit: &mut impl FnMut(usize, usize)) {
        let bucket = &self.buckets[usize::from(self.bucket_of[hash])];
        for gram in bucket {
            let Some(start) = at.checked_sub(usize::from(gram.offset)) else {
                continue;
            };
            let index = usize::from(gram.literal);
            if self.literals[index].stands_at(text, start) {
                on_hit(index, start);
            }
        }
    }

    /// Enters the two neighbouring grams of which one must stand at an even position.
    fn add_grams(&mut self, index: u16, literal: &Literal) {
        let text = literal.text.as_bytes();
        debug_assert!(text.len() >= 3, "an anchor needs at least three bytes");
        if let [first, second, third] = *text {
            self.add_gram(index, 0, [first, second, third], None);
            for &next in literal.followers {
                self.add_gram(index, 1, [second, third, next], None);
            }
            return;
        }
        let start = rarest_window(text);
        for offset in [start, start + 1] {
            let next = text.get(offset + 3).copied();
            for gram in spellings(text, offset, literal.any_case) {
                self.add_gram(index, offset as u8, gram, next);
            }
        }
    }

    /// Enters a gram; `next` is the byte that follows it, where only one can.
    fn add_gram(&mut self, literal: u16, offset: u8, gram: [u8; 3], next: Option<u8>) {
        let hash = hash_of(u32::from_le_bytes([gram[0], gram[1], gram[2], 0]));
        self.followers[hash] |= next.map_or(u8::MAX, follower_bit);
        if self.bucket_of[hash] == 0 {
            self.bucket_of[hash] = self.buckets.len() as u16;
            self.buckets.push(Vec::new());
        }
        let bucket = &mut self.buckets[usize::from(self.bucket_of[hash])];
        // Two spellings can share a hash; the same hit must not be reported twice.
        let known = |entry: &Gram| entry.literal == literal && entry.offset == offset;
        if !bucket.iter().any(known) {
            bucket.push(Gram { literal, offset });
        }
    }
}

impl Literal {
    fn stands_at(&self, text: &[u8], start: usize) -> bool {
        let end = start + self.text.len();
        let Some(found) = text.get(start..end) else {
            return false;
        };
        // Whether a literal is found must not depend on where in the text it stands.
        if self.text.len() == 3 && !text.get(end).is_some_and(|next| self.followers.contains(next)) {
            return false;
        }
        if self.any_case { found.eq_ignore_ascii_case(self.text.as_bytes()) } else { found == self.text.as_bytes() }
    }
}

#[inline(always)]
fn gram_at(window: &[u8; WINDOW], at: usize) -> u32 {
    u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]])
}

/// Hashes the low three bytes.
#[inline(always)]
fn hash_of(gram: u32) -> usize {
    (gram.wrapping_mul(SPREAD) >> (32 - HASH_BITS)) as usize
}

/// One of eight bits for each byte, the same for a letter in either case. A table,
/// because shifting by a variable takes longer than a look-up.
static FOLLOWER_BITS: [u8; 256] = follower_bits();

const fn follower_bits() -> [u8; 256] {
    let mut bits = [0; 256];
    let mut byte = 0;
    while byte < bits.len() {
        bits[byte] = 1 << (byte & 7);
        byte += 1;
    }
    bits
}

fn follower_bit(byte: u8) -> u8 {
    FOLLOWER_BITS[usize::from(byte)]
}

/// The gram at `offset`; with `any_case` as it is written in `password`, `PASSWORD` and
/// `Password`. Other mixtures of small and capital letters are not worth their cost.
fn spellings(text: &[u8], offset: usize, any_case: bool) -> Vec<[u8; 3]> {
    let small = [text[offset], text[offset + 1], text[offset + 2]];
    if !any_case {
        return vec![small];
    }
    let capitals = small.map(|byte| byte.to_ascii_uppercase());
    let initial = [capitals[0], small[1], small[2]];
    let mut spellings = vec![small, capitals];
    if offset == 0 {
        spellings.push(initial);
    }
    spellings
}

/// Where the two neighbouring grams of `text` stand that ordinary text holds least.
fn rarest_window(text: &[u8]) -> usize {
    let cost = |start: &usize| gram_cost(&text[*start..start + 3]) + gram_cost(&text[start + 1..start + 4]);
    (0..=text.len() - 4).min_by_key(cost).unwrap_or(0)
}

/// The grams of letters that sessions and source code hold most.
const COMMON_GRAMS: &str = "ent ing the ion ess ssi nti sio err ses and ate com ire int str you sta use age tra che tir ile oin \
     cli con tio est omm hat for ter eck hec rea ser all ran rin mit tha poi nte ers fil mmi rat tri tin \
     tes tur res thi her kpo ckp ont ere wor pro cmd ist gen etu ork ons ook ret ati ver urn teg ith put \
     ool lin tre out eve ted ect nil rom too ine mes pat dat ype typ anc wit ath ead are his egy ame bra \
     set ten ode man rro nch hoo ant not ext ren han ror ail ngs ave unt scr tat tor eat sag get hin ens \
     ack git cri met nam ain can ata rip omp ble ven les cre has ipt tal env son one ans par led our sti \
     ght ree ntu ind oni act der ome sto ore sho oke tte ett ive lau fro igh oun now ken npu inp ssa ins \
     ite eme tan ass unc nts cla oul oph ude sop uld cha tti dir nst rep ide tok hav dev tif art nid abl \
     eta log ult cti nsc aud cal ste und kin mpt ure ime ele tim ang but new let end cod ove tex min ust \
     nce wha tad nde ful app tly ope ado ark ify dis qui mar pen ock run gin eco mon pag cur key etl";

/// What it costs to look for the gram: much for one of those, else by its letters.
fn gram_cost(gram: &[u8]) -> u32 {
    let is_common = COMMON_GRAMS.as_bytes().chunks(4).any(|common| common[..3].eq_ignore_ascii_case(gram));
    let letters = gram.iter().map(|&byte| commonness(byte)).product::<u32>();
    if is_common { letters + 4096 } else { letters }
}

fn commonness(byte: u8) -> u32 {
    match byte {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 8,
        b' ' => 14,
        b'l' | b'd' | b'h' | b'c' | b'u' | b'm' | b'p' | b'f' => 6,
        b'g' | b'w' | b'y' | b'b' | b'v' | b'-' | b'/' | b'"' | b'\\' => 4,
        b'_' | b'.' | b':' | b'=' | b'0' | b'1' | b'2' => 3,
        b'A'..=b'Z' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals() -> Vec<Literal> {
        let literal = |text, any_case| Literal { text, any_case, followers: b"abu" };
        vec![
            literal("token", true),
            literal("AKIA", false),
            literal("hf_", false),
            literal("s://", false),
            literal("-----BEGIN", false),
        ]
    }

    fn naive(text: &str) -> Vec<(usize, usize)> {
        let mut hits = Vec::new();
        for (index, literal) in literals().iter().enumerate() {
            for at in 0..text.len() {
                if literal.stands_at(text.as_bytes(), at) {
                    hits.push((index, at));
                }
            }
        }
        hits
    }

    #[test]
    fn finds_each_literal_once_at_every_alignment() {
        let filter = Prefilter::new(literals());
        for shift in 0..150 {
            let text = format!(
                "{}Token x TOKEN AKIA akia hf_a s://u -----BEGIN token",
                "·".repeat(shift / 2) + &"y".repeat(shift % 2)
            );
            let mut hits = Vec::new();
            filter.scan(text.as_bytes(), |literal, at| hits.push((literal, at)));
            hits.sort_unstable();
            assert_eq!(hits, naive(&text), "shift {shift}");
        }
    }
}
