//! Renders links as text.

use backstory_engine::derive::links::agent::KERNEL;
use backstory_engine::model::{CausalLink, ConsequenceType};
use backstory_engine::retrieve::{LinkItem, LinkedSession};
use backstory_language::talk::{Metrics, Rate, Scene};

use crate::commands::sessions::short;
use crate::json::KeptLinks;
use crate::terminal;

const WIDTH: usize = 110;

/// The links of one session in line order.
pub fn table(session: &LinkedSession, limit: usize, kept: KeptLinks) -> String {
    let mut out = head(session);
    let links: Vec<&CausalLink> = session.linked.links.iter().filter(|link| kept.has(link)).collect();
    for link in links.iter().take(limit) {
        out.push_str(&entry(link));
    }
    more(&mut out, links.len(), limit);
    out
}

fn more(out: &mut String, all: usize, limit: usize) {
    if all > limit {
        out.push_str(&format!("… and {} more: --limit {all} shows all\n", all - limit));
    }
}

fn head(session: &LinkedSession) -> String {
    let linked = &session.linked;
    let claimed = linked.links.iter().filter(|link| link.claimed()).count();
    let who = match session.by_structure {
        true => "linked by structure".to_owned(),
        false => {
            let mut answers: Vec<&str> =
                linked.participants.responders().map(|speaker| speaker.name.as_str()).collect();
            let all = answers.len() == linked.participants.speakers.len();
            answers.truncate(4);
            let who = match answers.is_empty() {
                true => "nobody who speaks".to_owned(),
                false if all => "everybody".to_owned(),
                false => answers.join(", "),
            };
            format!("{}; {who} may answer", linked.participants.setting.name())
        }
    };
    let mut out = format!(
        "{}  {}, {} excluded; {}, {claimed} with a consequence; {who}\n",
        terminal::paint(terminal::BOLD, &short(&session.session)),
        terminal::count(session.lines.len() as u64, "line"),
        linked.mask.excluded_lines(),
        terminal::count(linked.links.len() as u64, "intent"),
    );
    if let Some(reason) = linked.no_links {
        out.push_str(&format!("No links: {}.\n", reason.reason()));
    }
    out
}

fn entry(link: &CausalLink) -> String {
    let intent = format!("{} {} {}", link.intent_anchor, link.actor, link.intent_type.name());
    let mut out =
        format!("{}  {}\n", terminal::paint(terminal::BOLD, &intent), terminal::clip(&link.intent_text, WIDTH));
    match &link.consequence {
        Some(found) => {
            let place = format!("  → {} {} {:.2}", found.anchor, link.consequence_type.name(), found.score);
            let text = terminal::clip(&found.text, WIDTH);
            let text = if is_printed(link) { terminal::foreign(&text) } else { text };
            out.push_str(&format!("{}  {text}\n", terminal::paint(terminal::DIM, &place)));
        }
        None => out.push_str(&format!("{}\n", terminal::paint(terminal::DIM, "  → nothing"))),
    }
    out
}

/// Is the consequence tool output? In sessions of agents, speech is an information or a commitment.
fn is_printed(link: &CausalLink) -> bool {
    link.kernel == KERNEL && matches!(link.consequence_type, ConsequenceType::Deterministic | ConsequenceType::Other)
}

/// One line for a pipe.
pub fn line(item: &LinkItem) -> String {
    let link = &item.row.link;
    let text = |text: &str| terminal::clip(text, WIDTH);
    let consequence = link.consequence.as_ref().map_or_else(|| "nothing".to_owned(), |found| text(&found.text));
    let (id, when) = (link.id.to_string(), terminal::time(item.row.time));
    format!("{}\t{when}\t{}\t{}\t{consequence}", &id[..12], link.intent_type.name(), text(&link.intent_text))
}

/// Links of several sessions.
pub fn items(items: &[LinkItem], limit: usize) -> String {
    let mut out = String::new();
    let mut session = None;
    for item in items.iter().take(limit) {
        if session != Some(&item.row.link.session) {
            session = Some(&item.row.link.session);
            let name = terminal::paint(terminal::BOLD, &format!("session {}", short(&item.row.link.session)));
            out.push_str(&format!("{name} · {} · {}\n", item.project.name, terminal::time(item.row.time)));
        }
        out.push_str(&entry(&item.row.link));
    }
    more(&mut out, items.len(), limit);
    out
}

pub fn outline(session: &LinkedSession, scenes: &[Scene]) -> String {
    let mut out = head(session);
    for (number, scene) in scenes.iter().enumerate() {
        let name = terminal::paint(terminal::BOLD, &format!("{}. {}", number + 1, terminal::clip(&scene.title, WIDTH)));
        out.push_str(&format!("{name}  ({}–{})\n", scene.first, scene.last));
        for beat in &scene.beats {
            let links = beat.links.len();
            out.push_str(&format!(
                "   {}–{}  {}  ({})\n",
                beat.first,
                beat.last,
                terminal::clip(&beat.title, WIDTH),
                terminal::count(links as u64, "link"),
            ));
        }
    }
    out
}

pub fn metrics(metrics: &Metrics) -> String {
    let mut out = String::new();
    if metrics.lines > 0 {
        out.push_str(&format!("lines {}, excluded {}\n", metrics.lines, metrics.excluded_lines));
    }
    out.push_str(&format!("{:24} {}\n", "coverage", rate(metrics.all)));
    for (name, of) in metrics.by_strength.iter().chain(&metrics.by_type).filter(|(_, rate)| rate.intents > 0) {
        out.push_str(&format!("  {name:22} {}\n", rate(*of)));
    }
    out.push_str("consequences\n");
    for (name, count) in metrics.by_consequence.iter().filter(|(_, count)| *count > 0) {
        out.push_str(&format!("  {name:22} {count}\n"));
    }
    let histogram = |name: &str, counts: &[usize]| {
        let bars: Vec<String> =
            counts.iter().enumerate().take(12).map(|(at, count)| format!("{}:{count}", at + 1)).collect();
        let rest: usize = counts.iter().skip(12).sum();
        let rest = if rest > 0 { format!(" more:{rest}") } else { String::new() };
        format!("{name:24} {}{rest}\n", bars.join(" "))
    };
    out.push_str(&histogram("distance (answerers)", &metrics.distances));
    out.push_str(&histogram("distance (lines)", &metrics.line_gaps));
    let scores: Vec<String> = metrics
        .scores
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(bin, count)| format!("{:.1}:{count}", bin as f32 / 10.0))
        .collect();
    out.push_str(&format!("{:24} {}\n", "score from", scores.join(" ")));
    out.push_str(&histogram("intents per consequence", &metrics.fan_out));
    if metrics.lines > 0
        && let Some(share) = metrics.nearest_share()
    {
        out.push_str(&format!("{:24} {:.1} %\n", "the nearest answer, too", 100.0 * share));
    }
    out
}

fn rate(rate: Rate) -> String {
    let share = rate.share().map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    format!("{} of {} claimed, {share}", rate.claimed, rate.intents)
}
