//! Finds every occurrence of a few hundred short literals in one fast pass.
//!
//! Of two adjacent three-byte grams of a literal, one starts at an even position, wherever the literal is. So the pass
//! reads even positions only, hashes the gram there, and looks it up in a table of 64 KiB together with the byte after
//! it. Literals are compared in full only if the table has an entry.
//!
//! The cost hardly depends on the number of literals, of which there are some 1,350. On the same sessions, an
//! Aho-Corasick automaton (one dependent load per byte) reached 450 MB/s; Teddy takes 64 literals at most, and with two
//! or three searchers for all of them reached 600 MB/s. This reaches 2 GB/s.

use std::collections::{HashMap, HashSet};

/// How much text is processed at once.
const BLOCK: usize = 16;
/// A block, with the bytes after it that its last gram and the byte after that cover.
const WINDOW: usize = BLOCK + 4;
const HASH_BITS: u32 = 16;
const HASHES: usize = 1 << HASH_BITS;
/// Of 200,000 multipliers tried, the one that confuses anchors least with common text. Its low byte is zero, so that
/// only the low three bytes of a gram count.
const SPREAD: u32 = 0x7712_eb00;

/// A literal to look for.
pub(super) struct SearchLiteral {
    pub(super) text: &'static str,
    /// Whether letter case is ignored (then `text` is lower case).
    pub(super) any_case: bool,
    /// The possible next bytes; needed only for a literal of three bytes.
    pub(super) followers: &'static [u8],
}

/// One gram of one literal: the literal, and the gram's position in it.
#[derive(Clone, Copy)]
struct Gram {
    literal: u16,
    offset: u8,
}

pub(super) struct Prefilter {
    literals: Vec<SearchLiteral>,
    /// For each hash, which bytes may follow its grams: a bit for each `byte & 7`.
    followers: Box<[u8; HASHES]>,
    /// The bucket of each hash; bucket 0 is empty.
    bucket_of: Vec<u16>,
    buckets: Vec<Vec<Gram>>,
}

impl Prefilter {
    pub(super) fn new(literals: Vec<SearchLiteral>) -> Self {
        let mut filter = Prefilter {
            literals: Vec::new(),
            followers: Box::new([0; HASHES]),
            bucket_of: vec![0; HASHES],
            buckets: vec![Vec::new()],
        };
        let common = CommonText::read();
        for (index, literal) in literals.iter().enumerate() {
            filter.add_grams(&common, index as u16, literal);
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
        // The rest is shorter than a window: pad it with bytes that no literal contains.
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
        // Unrolled by hand: as a loop it is slow.
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

    /// Adds the two adjacent grams, one of which must be at an even position.
    fn add_grams(&mut self, common: &CommonText, index: u16, literal: &SearchLiteral) {
        let text = literal.text.as_bytes();
        debug_assert!(text.len() >= 3, "an anchor needs at least three bytes");
        if let [first, second, third] = *text {
            self.add_gram(index, 0, [first, second, third], None);
            for &next in literal.followers {
                self.add_gram(index, 1, [second, third, next], None);
            }
            return;
        }
        let start = common.rarest_window(text);
        for offset in [start, start + 1] {
            let next = text.get(offset + 3).copied();
            for gram in spellings(text, offset, literal.any_case) {
                self.add_gram(index, offset as u8, gram, next);
            }
        }
    }

    /// Adds a gram; `next` is the byte after it, if only one is possible.
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

impl SearchLiteral {
    fn stands_at(&self, text: &[u8], start: usize) -> bool {
        let end = start + self.text.len();
        let Some(found) = text.get(start..end) else {
            return false;
        };
        // Whether a literal is found must not depend on its position in the text.
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

/// One of eight bits for each byte, the same for a letter in either case. A table, because shifting by a variable is
/// slower than a look-up.
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

/// The gram at `offset`; with `any_case` as in `password`, `PASSWORD` and `Password`. Other mixtures of case are not
/// worth their cost.
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

/// What is common in ordinary text.
struct CommonText {
    /// The costs of searching for grams.
    costs: HashMap<[u8; 3], u32>,
    windows: HashSet<[u8; 4]>,
}

impl CommonText {
    fn read() -> Self {
        let windows = COMMON_WINDOWS.split(' ').filter_map(|window| window.as_bytes().try_into().ok()).collect();
        CommonText { costs: common_costs(), windows }
    }

    /// The position of the two adjacent grams of `text` that are rarest in ordinary text.
    fn rarest_window(&self, text: &[u8]) -> usize {
        // If a certain byte must follow the gram, fewer places match.
        let cost_at =
            |at: usize| gram_cost(&self.costs, &text[at..at + 3]) * if at + 3 < text.len() { 1 } else { OPEN_COST };
        let is_common = |at: usize| {
            let window = [text[at], text[at + 1], text[at + 2], text[at + 3]];
            self.windows.contains(&window.map(|byte| if byte == b' ' { b'^' } else { byte.to_ascii_lowercase() }))
        };
        let cost =
            |start: &usize| cost_at(*start) + cost_at(start + 1) + if is_common(*start) { COMMON_COST } else { 0 };
        (0..=text.len() - 4).min_by_key(cost).unwrap_or(0)
    }
}

/// Windows of four bytes that are more common in text than their grams suggest; `^` is a blank.
const COMMON_WINDOWS: &str = "#^en 'mon +ena -plu -raw .log .sid /use 64^- ::ad ::se :^pa :mak ^/us ^15^ ^=^( ^api ^aut ^ena ^fro ^key \
     ^pas ^tar ^upl _liv _pas a-cl a_li able acry aesc algo als( ambe ane^ api( api^ arge asic assw aste ault \
     auth ble^ c.py cesc chav cho^ cket ckup cle. cove cryp d-ke d^fr d_de defa dema dl_l duff dump e-ke e64^ \
     e^15 e^au e^up e_su easy echo ecov eden efau egis el_l el_t emai emot enab epas equi er.e er^k ervi ery^ \
     escr essi et-s et-t et_i et_p exec ey:^ ey^= fast faul fcry from full gin( gist gnat h-ke h::m h^=^ h^lo \
     have hex( hey^ hsyn i^ty icat ices ickh ig^s igna igne igur imag ioni ish^ ity^ ivat izat k^ht ke_p ket- \
     key: l^ke l_bl l_li le.c lias lien logi lopm lt^l lt^o lt_p lugi lux^ mast mber mote n-ke n^as n^ke n^ta \
     n^wi n_by nabl natu ncry nd_d ndom ne^a nid= nix( nnec od_p offc ogin oken okup onid only onne ootp oppl \
     orar ord( ord^ over ower oxy_ p-ba p.py pass pbox pk_p ploa plug powe ps^- pt_s quir r^ke rary rd^f reco \
     rede regi requ riva riza rk_p roku rom^ root roxy rtab rvic ry^k ry^l ry^p rypt s-cl s-pr safe scry sct_ \
     seal secu send ser: sess set_ sexe sid= sign sion sk:: sk_p sleu sqla sqli ss^= ss^i ssio sswo ster stly \
     swor t-ac t-ke t-ou t-se t-to t-va t^ke t^lo t^on t_pa te_s ter^ th^= th^l tial tica toke try^ ty.p ubli \
     ult_ ump' uplo urer url^ user uth( uth^ ux^u vaul veal very vice walk word wort xnd_ xtau y:^' y^ke y^lo \
     ypt^ ypt_ ysql zend";

/// The cost of searching for one of them.
const COMMON_COST: u32 = 200_000;

/// The cost factor of a gram that any byte may follow.
const OPEN_COST: u32 = 5;

/// The most common grams in sessions and source code, most common first, with the cost of searching for them. Counted
/// in lower case; `^` is a blank.
const COMMON_GRAMS: [(&str, u32); 3] = [
    (
        "^^^ ent ion ing ess ssi sio ses ate err //^ ^th str nti ire int the ^co com tir ile ^se use con tra sta \
     ^st cli ^=^ tio ed^ he^ ^re /cl age if^ est ^er che ^to tes rin fil ser li/ on^ tur tri ^in omm rat for \
     ons or^ re/ /en nt^ to^ res mit eck hec ^:= :=^ and oin etu es^ ter nte ret ers e/c mmi gen poi urn cmd \
     ng^ ran ckp kpo rr^ tin ode dat ext tat ^fo ont is^ ^ch ist teg ^fi rro ted rea ror .go rn^ ect d/e md/ \
     pat nil ame ^^1 wor ^ni ith ati ork pro ,^e er^ all oni ^// se^ ath egy rom re^ e^c e^s nid ^an set lin \
     nam ^is ^no ^pa nd^ omp s^t par st^ it^ les ^!= !=^ ool ite ^tr ^us tor ren ult te^ ^pr wit ^a^ e^t id^ \
     ead eve s^a il^ ata git ine han ook ail let sel d^t le^ =^n tre der ts^ rs/ /// nts ngs ^de /us ^ex typ \
     in^ ^^/ ass nst ns^ ype et^ tex dir ree e,^ cti ^le log ^^2 hoo get l^{",
        64_000,
    ),
    (
        "mod cla ude ^if pub t^s ^wi met put unc ese fro e^a scr man act out ub^ add ut^ cri /wo th^ bra ind elf \
     fmt r^: anc t^t pre /cm rip too ^en eta ^te i/c new ipt ble ^sh eat ore ^ma thi ans ^ca ven ant nch nal \
     cal led rep ^^} ain ^li lau at^ mpt cod aud go- --- fun ack tan mes s,^ mat cha _te ang sag has val esu \
     f^e mt. t.g ^me ^^3 rac 202 exp r^! cur nde me^ e^i ere abl ^-^ ^wh ^lo t,^ cre not tad tru sho rre ,^s \
     ten ver his are oph sop ase )^{ ll^ ett ^di lse ive e:^ len ^be her aut ure rit nge ph/ t.e .er spa it_ \
     end t^c sti ace tti /st one ele def ^ha n^t men st. ^ge de^ oun mpl ort i/s e^f pti dev env _co :^% att \
     ^^s ^ag :^^ en^ nsc .co ars pac opt n^s ple t^a ern ch^ ini tim ada ot^ t^i .st ^^4 pos ^cr ref orf epo \
     ete _01 ime rf( nin ali tar ^of ssa eco wri =^s n^i sul del orm nc^ son ^cl ve^ /de ttr tha ^on ge^ urr \
     sto s/s war per lat n^f /so ash rem on_ rr) s^i al^ por tem art fie ^it ^id ask nes ifi tch era rec fla \
     pri ^ne ^as imp tho fai dif an^ sis loc ntr ove r,^ ctx ^fa d^s sha min key ^fr ^al ins of^ eme exi ize \
     whe e^p ly^ pla ()^ d,^ ^wa rna hat ual ^mo ct^ 01- rse tal lex e/d ler iti ,^f rma nv/ tas h/w ^br k/e \
     rk/ v/c t:^ nta t^f ==^ ide ow^ gy/ ^su und ave anu om^ s^c dow ,^c ste ale als ,^t ^ar s^f -01 as^ ^fm \
     ^^5 ^or run jso 26- din ^^i ded s:^ ... sub ^== xis pec s^s den pen tte 6-0 r^t ld^ oks try nce 026 t^= \
     onf cte inf ths ndl nod std bas );^ tse fix d^f e^= ng. dle fal arn e:: olu ^^7 sin red mma ^^p req ndi \
     nfo ena win ^un arg ^ho n^a inp ^^6 tiv jec t^m ory xte lan d:^ npu ^bu des e^e efi ne^ unt ^op ntf ry^ \
     kin emp lag id) msg ng( ex/ lea e^r ens",
        16_000,
    ),
    (
        "hou n^n mpo lis cto /^t on. utp tpu ^^t uto ^fu /^s e^o inc gs. app /^c lic eri ar^ ng- ^do _re sts hen \
     (se d^a ^va oul can var ges uld enc but alu ^ac ^at nua tok bac rni its ^ad ert === rks t.f ^^l t^w dis \
     ),^ ^po al_ s.s ^gi .re s^= sum rt^ lem ies odi ict ard gin f^t d^i hor n^c t^r nit ^la ^^r ull pon os. \
     atc e^d r^s s/a d^c ^sa /al lue map tai ck^ det t_t pe^ ^wo ^^8 ^pu nse lid uct /se ^ta mut lf. ^%w ^si \
     ksp en( ^^# ruc atu ok^ non sit mai sed ^bo ce/ r^= edi onl s^w ^^f ^+^ go: ane cat r^a oke =^c fin x/w \
     fer pt^ ^#^ .se etr ken _in oca on- ,^a on: ->^ efa ^-> ^so fn^ ,^n emo be^ =^r bug ^ru nt_ ce^ aul ara \
     fau ski t() ado no^ els cou tf( siz ica dec had rue .1. te: 2.1 ^ou ied sav epa t^b ,^w ,^i you -se o^t \
     t^o e^m :^c hin ^[] o^c _st g,^ uti ogg ach rst e^b f^s mul nd( ^fn s^o /ma ^^c e^w ^__ iew equ ktr pts \
     mov har ad^ vie l_c ^go r^c ild cle hes nfi d^b boo rsi ope t)^ e^l o^s ^by how ^ba ^|^ cor ^cu dde hea \
     ^^a de- n^e kip pus onc ume 1-2 ew^ loa ned ial b^c ttp s.g g^t -co tid rkt htt ^yo rev ved ^he sse oth \
     bin fir ,^o ill ust ^ra ond osi :// nda ^10 pty ee^ )^- ^^- ^im rou t^e sys xpl ta^ d^= e^{ mar gs^ ary \
     ign ula ast igh ds^ rs. ^wr fpr e() rs^ our las gra de. uth itt ces ean obj sec =^t ock ;^e ^mu ^da re. \
     ost rai tde e^n ol_ nt( rge ^ke -20 d() r^i n_t e^: ^^( .fp ppe esp low ^fl ^** nt. rns xpe ^ap ^na _id \
     es. rce ^ty ^we chi ,^p ute e^u =^f s() rib nt- lon t^p id, t^( ^ti er. .en ',^ )^= ues hel nt: es, ^^9 \
     oad ade vel irs buf s^b (ct rie nab ner nen s^( to_ bje esc now lai =^a pda gre ors got cas cra num emi \
     =^p on( que ink ibu upd ful /^f lt^ dar opu 025 n't /^r t^{ ght reg /ag t^d uil cke tag eti (); lus y/m \
     a^s 't^ lev epr deb oll ng) ed) umb d^o ng: (), t.s bui nco ed, ^el es( ^0^ ps: nt) ks^ tps ^up slo st_ \
     wan een tco hs. ::c tic 's^ sig ou^ ggi ^%s eed es: 110 thu (re by^ ose t^: e.i ake ^ve dit ^(s ^au uid \
     e^h sg_ hub tec ,^r ^^' id: 101 io/ /^a s:/ ram om/ l,^ vic lly a^c s^n 011 r:^ ss^ _,^ f^l ub. h,^ llo \
     (st iff ^sk e)^ (co spe own lu_ lti t^h sty ^sp tx^ ``` ,^b dfi y^t qui t_s ##^ yte rel ue^ er( egr rr, \
     byt ebu acc ed. b.c nt, sup tst g^a hed tyl o^a ^%v =^l xt^ ewi o/c ty^ te. nsi nly nt/ yle ity evi =^0 \
     _se g_0 ^12 ,^l .wr edf ()) u_0 h^t (). eld rig re- .tr u32 ice d^: y^c y,^ n^r es) tpa ic^ ts. te( it. \
     blo ]st ^0x usi 1.1 rch tel fea 251 .ne e-o lec ^pe de_ 11c _pa eq_ ir^ l^s 5-2 s^p o^r ^-- st/ et_ erv \
     _ha /^g spo cap g)^ /^i ^^e ene 4-5 s^d r^{ t^n ger t.t me: abs lle alc col g:^ n.g er: ,^' liz -4- s^m \
     go^ (os e-c tli y^s )^e tup -5- 511 :^s vec rov q_0 ear nto ema ida __u any sen she ona hav ong f,^ e.g \
     ome t^l .io clo ^^m usa eth ari lit ntl up^ ags s^e iel xtr fig xt. gro ^11 :^f _pr cop d^w =^o nct r)^ \
     ffe ^*^ y^i whi =^m n:^ ato n^p og. n,^ lde rew id( le( ed_ -op ,^g unk /ho d^p inu tia stc adi ado ifi _us ual app",
        4_000,
    ),
];

/// The costs of searching for the grams in the tables.
fn common_costs() -> HashMap<[u8; 3], u32> {
    let mut costs = HashMap::new();
    for (grams, cost) in COMMON_GRAMS {
        for gram in grams.as_bytes().chunks(4) {
            let gram = [gram[0], gram[1], gram[2]];
            costs.insert(gram.map(|byte| if byte == b'^' { b' ' } else { byte }), cost);
        }
    }
    costs
}

/// The cost of searching for the gram: high for a common one, otherwise by its letters.
fn gram_cost(costs: &HashMap<[u8; 3], u32>, gram: &[u8]) -> u32 {
    let small = [gram[0], gram[1], gram[2]].map(|byte| byte.to_ascii_lowercase());
    let by_letters = || gram.iter().map(|&byte| commonness(byte)).product();
    costs.get(&small).copied().unwrap_or_else(by_letters)
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

    fn literals() -> Vec<SearchLiteral> {
        let literal = |text, any_case| SearchLiteral { text, any_case, followers: b"abu" };
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
