//! Renders a transcript with its links as Markdown.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};

use crate::talk::{CausalLink, Strength};

use super::claim::{LinkFate, Trace, Weighed};
use super::lines::TalkLine;
use super::run::Linked;

/// The level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    #[default]
    Links,
    /// Every candidate with its score and fate; needs traces.
    Dense,
}

/// Writes every line of the transcript that `linked` was made from.
pub fn annotate(lines: &[TalkLine<'_>], linked: &Linked, detail: Detail, out: &mut impl Write) -> fmt::Result {
    let page = Page::new(lines, linked, detail);
    page.header(out)?;
    let mut at = 0;
    while at < lines.len() {
        at = if linked.mask.is_eligible(at) { page.line(at, out)? } else { page.folded(at, out)? };
    }
    if detail == Detail::Dense {
        page.contested(out)?;
        page.unclaimed(out)?;
    }
    Ok(())
}

struct Page<'a> {
    lines: &'a [TalkLine<'a>],
    linked: &'a Linked,
    /// The links of the line with this number: a prompt may have several parts.
    intents: HashMap<u32, Vec<&'a CausalLink>>,
    traces: HashMap<u32, &'a Trace>,
    /// The claimants of the line with this number.
    claimants: HashMap<u32, Vec<&'a CausalLink>>,
}

impl<'a> Page<'a> {
    fn new(lines: &'a [TalkLine<'a>], linked: &'a Linked, detail: Detail) -> Self {
        let mut claimants: HashMap<u32, Vec<&CausalLink>> = HashMap::new();
        let mut intents: HashMap<u32, Vec<&CausalLink>> = HashMap::new();
        for link in &linked.links {
            intents.entry(link.intent_anchor).or_default().push(link);
            if let Some(found) = &link.consequence {
                claimants.entry(found.anchor).or_default().push(link);
            }
        }
        let traces = if detail == Detail::Dense { &linked.traces[..] } else { &[] };
        Page {
            lines,
            linked,
            intents,
            traces: traces.iter().filter_map(|trace| Some((lines.get(trace.intent.at)?.index, trace))).collect(),
            claimants,
        }
    }

    fn header(&self, out: &mut impl Write) -> fmt::Result {
        let Linked { links, mask, participants, no_links, .. } = self.linked;
        let claimed = links.iter().filter(|link| link.claimed()).count();
        writeln!(out, "# {}\n", escaped(&mask.session))?;
        let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        let lines = count(self.lines.len(), "line", "lines");
        let intents = count(links.len(), "intent", "intents");
        writeln!(out, "{lines}, {} of them excluded; {intents}, {claimed} answered.", mask.excluded_lines())?;
        if let Some(link) = links.first() {
            let responders: Vec<String> = participants.responders().map(|speaker| escaped(&speaker.name)).collect();
            let who = if responders.len() == participants.speakers.len() {
                "everybody".to_owned()
            } else {
                responders.join(", ")
            };
            writeln!(out, "Kernel {} {}; {} answers.", link.kernel, link.kernel_version, who)?;
        }
        if let Some(reason) = no_links {
            writeln!(out, "There are no links: {}.", reason.reason())?;
        }
        writeln!(out)
    }

    /// Writes one eligible line. Returns the next position.
    fn line(&self, at: usize, out: &mut impl Write) -> Result<usize, fmt::Error> {
        let line = &self.lines[at];
        write!(out, "**{}**", line.index)?;
        if !line.speaker.trim().is_empty() {
            write!(out, " **{}:**", escaped(line.speaker.trim()))?;
        }
        writeln!(out, " {}  ", escaped(line.text.trim()))?;
        let intents = self.intents.get(&line.index).map_or(&[][..], Vec::as_slice);
        for link in intents {
            let mut kind = format!("{} {}", link.intent_strength.name(), link.intent_type.name());
            if intents.len() > 1 {
                kind.push_str(&format!(" “{}”", escaped(&short(&link.intent_text))));
            }
            match &link.consequence {
                Some(found) => writeln!(
                    out,
                    "    → {kind}, answered by {} ({:.2}, {})  ",
                    found.anchor,
                    found.score,
                    link.consequence_type.name()
                )?,
                None => writeln!(out, "    → {kind}, never answered  ")?,
            }
        }
        if let Some(trace) = self.traces.get(&line.index) {
            self.candidates(trace, out)?;
        }
        if let Some(claimants) = self.claimants.get(&line.index) {
            let mut claimants: Vec<String> =
                claimants.iter().map(|link| format!("{} ({})", link.intent_anchor, escaped(&link.actor))).collect();
            // Parts of one prompt may share it.
            claimants.dedup();
            writeln!(out, "    ← answers {}  ", claimants.join(", "))?;
        }
        writeln!(out)?;
        Ok(at + 1)
    }

    /// Writes consecutive excluded lines with the same reasons as one. Returns the position after them.
    fn folded(&self, at: usize, out: &mut impl Write) -> Result<usize, fmt::Error> {
        let mask = &self.linked.mask;
        let reasons = |at: usize| mask.reasons(at).map(|reason| reason.name()).collect::<Vec<_>>();
        let why = reasons(at);
        let until = (at..self.lines.len()).find(|place| reasons(*place) != why).unwrap_or(self.lines.len());
        let (first, last) = (self.lines[at].index, self.lines[until - 1].index);
        match until - at {
            1 => writeln!(
                out,
                "> line {first} excluded ({}): {}\n",
                why.join(", "),
                escaped(&short(self.lines[at].text))
            )?,
            count => writeln!(out, "> lines {first} to {last} excluded ({}): {count} lines\n", why.join(", "))?,
        }
        Ok(until)
    }

    fn candidates(&self, trace: &Trace, out: &mut impl Write) -> fmt::Result {
        for Weighed { candidate, fate } in &trace.candidates {
            let place = self.lines.get(candidate.at).map_or("nowhere".to_owned(), |line| line.index.to_string());
            let parts: Vec<String> = candidate.parts.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
            let why = match fate {
                LinkFate::Won => "won".to_owned(),
                LinkFate::Outscored => "outscored".to_owned(),
                LinkFate::TakenBy(owner) => {
                    format!("taken by {}", self.lines.get(*owner).map_or(0, |line| line.index))
                }
                LinkFate::BelowLeast => format!("below {:.2}", trace.least),
                LinkFate::Refused(broken) => format!("refused: {}", broken.reason()),
            };
            let (score, far) = (candidate.score, format!("d{}, {} on", candidate.ordinal, candidate.gap));
            writeln!(out, "    - {place}: {score:.3} = {} ({far}) {why}  ", parts.join(", "))?;
        }
        if trace.candidates.is_empty() {
            writeln!(out, "    - no candidates  ")?;
        }
        Ok(())
    }

    /// Consequences with several candidates for their intent.
    fn contested(&self, out: &mut impl Write) -> fmt::Result {
        let mut bidders: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for trace in &self.linked.traces {
            let best =
                trace.candidates.iter().filter(|weighed| matches!(weighed.fate, LinkFate::Won | LinkFate::TakenBy(_)));
            for Weighed { candidate, fate } in best {
                let won = if *fate == LinkFate::Won { "has it" } else { "lost it" };
                let intent = self.lines[trace.intent.at].index;
                let bid = format!("{intent} ({}, {:.2}, {won})", trace.intent.strength.name(), candidate.score);
                bidders.entry(candidate.at).or_default().push(bid);
            }
        }
        bidders.retain(|_, bids| bids.len() > 1);
        writeln!(out, "## Contested consequences\n")?;
        for (at, bids) in &bidders {
            writeln!(out, "- {}: {}", self.lines[*at].index, bids.join("; "))?;
        }
        if bidders.is_empty() {
            writeln!(out, "None.")?;
        }
        writeln!(out)
    }

    fn unclaimed(&self, out: &mut impl Write) -> fmt::Result {
        writeln!(out, "## Strong intents without an answer\n")?;
        let open = |link: &&CausalLink| link.intent_strength == Strength::Strong && !link.claimed();
        let mut any = false;
        for link in self.linked.links.iter().filter(open) {
            any = true;
            let (actor, text) = (escaped(&link.actor), escaped(&short(&link.intent_text)));
            writeln!(out, "- {} {} ({}): {text}", link.intent_anchor, actor, link.intent_type.name())?;
        }
        if any { Ok(()) } else { writeln!(out, "None.") }
    }
}

fn short(text: &str) -> String {
    const LONGEST: usize = 120;
    let text = text.trim();
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).collect::<String>() + "…"
}

/// On one line, with Markdown escaped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
