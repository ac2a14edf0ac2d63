//! Writes shuffled claims of both kernels, for a person to judge blindly.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use backstory_engine::model::{CausalLink, digest_of};
use backstory_language::talk::{DefaultKernel, Kernel, LinkOptions, Linked, Request, SeedKernel, TalkLine, link};

use crate::input;
use crate::links_tabletop::{TabletopRow, episodes};

const EPISODES: usize = 10;
/// From each group of links: by kernel, type of intent and distance of the claim.
const OF_EACH: usize = 5;
/// Lines shown before the intent and after it.
const BEFORE: usize = 4;
const AFTER: usize = 12;

/// The question to judge: in this episode, does this line answer that one? `None`: nothing does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    episode: usize,
    intent: u32,
    answer: Option<u32>,
}

/// Kernel, type of intent, distance.
type Group<'a> = (&'a str, &'a str, u32);

pub fn run(data: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let all = episodes(data);
    let step = (all.len() / EPISODES).max(1);
    let mut read = Vec::new();
    for path in all.iter().skip(step / 2).step_by(step).take(EPISODES) {
        read.push((
            path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            input::rows::<TabletopRow>(path)?,
        ));
    }
    let mut groups: BTreeMap<Group<'_>, BTreeSet<([u8; 16], Claim)>> = BTreeMap::new();
    for (episode, (name, rows)) in read.iter().enumerate() {
        let lines: Vec<TalkLine<'_>> = rows.iter().map(TabletopRow::line).collect();
        for kernel in [&SeedKernel as &dyn Kernel, &DefaultKernel] {
            let options = LinkOptions::default();
            let linked: Linked = link(Request { session: name, lines: &lines, kernel, options: &options })?;
            for one in &linked.links {
                let claim = Claim { episode, intent: one.intent_anchor, answer: answer(one) };
                let group = (kernel.name(), one.intent_type.name(), far(one));
                groups.entry(group).or_default().insert((order(&claim), claim));
            }
        }
    }
    let mut picked: BTreeMap<Claim, BTreeSet<String>> = BTreeMap::new();
    for ((kernel, kind, far), claims) in &groups {
        for (_, claim) in claims.iter().take(OF_EACH) {
            picked.entry(claim.clone()).or_default().insert(format!("{kernel}/{kind}/{far}"));
        }
    }
    let mut shuffled: Vec<_> = picked.into_iter().collect();
    shuffled.sort_by_key(|(claim, _)| order(claim));
    let (mut page, mut key) = (String::new(), String::new());
    for (number, (claim, groups)) in shuffled.iter().enumerate() {
        let lines: Vec<TalkLine<'_>> = read[claim.episode].1.iter().map(TabletopRow::line).collect();
        show(&mut page, number + 1, claim, &lines)?;
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        writeln!(
            key,
            "{}\t{}\t{}\t{:?}\t{}",
            number + 1,
            read[claim.episode].0,
            claim.intent,
            claim.answer,
            groups.join(" ")
        )?;
    }
    let sizes = groups.iter().map(|((kernel, kind, far), claims)| format!("{kernel}/{kind}/{far}\t{}\n", claims.len()));
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("sizes.tsv"), sizes.collect::<String>())?;
    std::fs::write(folder.join("claims.md"), page)?;
    std::fs::write(folder.join("key.tsv"), key)?;
    println!("{} claims of {} episodes", shuffled.len(), read.len());
    Ok(())
}

fn answer(link: &CausalLink) -> Option<u32> {
    link.consequence.as_ref().map(|found| found.anchor)
}

/// 0 for no claim; 3 for three or four lines, 5 for more.
fn far(link: &CausalLink) -> u32 {
    match link.consequence.as_ref().map(|found| found.line_gap) {
        None => 0,
        Some(gap @ 1..=2) => gap,
        Some(3..=4) => 3,
        Some(_) => 5,
    }
}

fn order(claim: &Claim) -> [u8; 16] {
    digest_of(
        "sample",
        &[&claim.episode.to_le_bytes(), &claim.intent.to_le_bytes(), format!("{:?}", claim.answer).as_bytes()],
    )
    .0
}

fn show(page: &mut String, number: usize, claim: &Claim, lines: &[TalkLine<'_>]) -> Result<(), Box<dyn Error>> {
    let at = lines.binary_search_by_key(&claim.intent, |line| line.index).map_err(|_| "an intent that is no line")?;
    writeln!(page, "## {number}\n")?;
    for line in &lines[at.saturating_sub(BEFORE)..lines.len().min(at + AFTER + 1)] {
        let mark = match line.index {
            index if index == claim.intent => "INTENT",
            index if Some(index) == claim.answer => "ANSWER",
            _ => "",
        };
        let text: String = line.text.chars().take(300).collect();
        writeln!(page, "{mark:6} {} {}: {text}", line.index, line.speaker)?;
    }
    if claim.answer.is_none() {
        writeln!(page, "ANSWER nothing that is shown")?;
    }
    writeln!(page)?;
    Ok(())
}
