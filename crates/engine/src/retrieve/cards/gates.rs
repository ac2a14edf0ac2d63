//! Is the card memory stable enough for more? Four gates beyond which finer attribution would pay off.

use std::collections::BTreeMap;

use crate::derive::cards::judgements::CardJudgements;
use crate::log::Log;
use crate::model::{CardKind, CardStatus, OutcomeKind, ProjectId, SourceKind};
use crate::store::{CardFilter, ViewStore};

use super::super::RetrieveError;

const WEEK: i64 = 7 * 24 * 3_600 * 1_000;
/// Fewer episodes prove nothing.
const LEAST_EPISODES: usize = 10;
const LEAST_PRECISION: f64 = 0.65;
const MOST_CORRECTIONS: f64 = 0.30;
const MOST_GROWTH: f64 = 0.20;
const PLATEAU: f64 = 0.05;
const LEAST_EVENTS: f64 = 100.0;

/// One gate: the measured values, the required ones, and whether it is open.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Gate {
    pub name: &'static str,
    pub open: bool,
    pub measured: String,
    pub wanted: String,
}

pub fn gates(log: &mut Log, views: &ViewStore, project: Option<ProjectId>) -> Result<Vec<Gate>, RetrieveError> {
    Ok(vec![
        stability(log, views, project)?,
        boundedness(views, project)?,
        plateau(views, project)?,
        volume(log, views, project)?,
    ])
}

/// The share of episodes with a pack that a person judged good.
fn stability(log: &mut Log, views: &ViewStore, project: Option<ProjectId>) -> Result<Gate, RetrieveError> {
    let (view, judgements) = (views.read(), CardJudgements::read(log)?);
    let (mut judged, mut good, mut corrected) = (0usize, 0usize, 0usize);
    for session in judgements.packed_sessions() {
        if !is_of(log, session, project)? {
            continue;
        }
        let kinds = judgements.came_of(log, &view, session)?.kinds;
        let helped = kinds.contains(&OutcomeKind::UserConfirmedHelpful);
        let wrong = kinds.contains(&OutcomeKind::UserCorrected);
        judged += usize::from(helped || wrong);
        good += usize::from(helped && !wrong);
        corrected += usize::from(wrong);
    }
    let share = |count: usize| if judged == 0 { 0.0 } else { count as f64 / judged as f64 };
    let (precision, corrections) = (share(good), share(corrected));
    Ok(Gate {
        name: "retrieval_stability",
        open: judged >= LEAST_EPISODES && precision >= LEAST_PRECISION && corrections <= MOST_CORRECTIONS,
        measured: format!("{judged} judged episodes, precision {precision:.2}, corrections {corrections:.2}"),
        wanted: format!(
            ">= {LEAST_EPISODES} episodes, precision >= {LEAST_PRECISION}, corrections <= {MOST_CORRECTIONS}"
        ),
    })
}

/// Is a host's session one of this project? Always true without a project.
fn is_of(log: &mut Log, session: &str, project: Option<ProjectId>) -> Result<bool, RetrieveError> {
    let Some(project) = project else { return Ok(true) };
    for source in SourceKind::HOSTS {
        if log.store().episodes_of_session(source, session)?.iter().any(|(_, episode)| episode.project == project) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The growth of the active cards in the last week that has any.
fn boundedness(views: &ViewStore, project: Option<ProjectId>) -> Result<Gate, RetrieveError> {
    let filter = CardFilter { project, kind: None, statuses: vec![CardStatus::Active, CardStatus::NeedsRecheck] };
    let mut weeks: BTreeMap<i64, usize> = BTreeMap::new();
    let rows = views.read().cards(&filter)?;
    for row in &rows {
        *weeks.entry(row.card.created.map_or(0, |time| time.0 / WEEK)).or_default() += 1;
    }
    let last = weeks.values().last().copied().unwrap_or(0);
    let before = rows.len() - last;
    let growth = if before == 0 { 1.0 } else { last as f64 / before as f64 };
    Ok(Gate {
        name: "store_boundedness",
        open: !rows.is_empty() && growth <= MOST_GROWTH,
        measured: match before {
            0 => format!("{} active, all of them of one week", rows.len()),
            _ => format!("{} active, {last} of them new in the last week (+{:.0} %)", rows.len(), 100.0 * growth),
        },
        wanted: format!("at most {:.0} % a week", 100.0 * MOST_GROWTH),
    })
}

/// Do frequently used tactics do better than rarely used ones?
fn plateau(views: &ViewStore, project: Option<ProjectId>) -> Result<Gate, RetrieveError> {
    let filter = CardFilter { project, kind: Some(CardKind::Tactic), statuses: Vec::new() };
    let mut used: Vec<(u32, f64)> = views
        .read()
        .cards(&filter)?
        .iter()
        .map(|row| row.card.utility)
        .filter(|utility| utility.wins + utility.losses > 0)
        .map(|utility| {
            (utility.wins + utility.losses, f64::from(utility.wins) / f64::from(utility.wins + utility.losses))
        })
        .collect();
    used.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mean = |part: &[(u32, f64)]| part.iter().map(|(_, rate)| rate).sum::<f64>() / part.len().max(1) as f64;
    let (seldom, often) = used.split_at(used.len() / 2);
    let change = (mean(often) - mean(seldom)).abs();
    Ok(Gate {
        name: "utility_plateau",
        open: used.len() >= LEAST_EPISODES && change <= PLATEAU,
        measured: format!("{} tactics with outcomes, win rate changes by {change:.2} with use", used.len()),
        wanted: format!(">= {LEAST_EPISODES} tactics, change <= {PLATEAU}"),
    })
}

/// Outcomes per week, over the weeks that have sessions.
fn volume(log: &mut Log, views: &ViewStore, project: Option<ProjectId>) -> Result<Gate, RetrieveError> {
    let view = views.read();
    let mut outcomes = 0usize;
    let mut weeks: BTreeMap<i64, ()> = BTreeMap::new();
    for (num, episode) in log.store().episodes()? {
        if project.is_some_and(|project| project != episode.project) {
            continue;
        }
        let Some(ended) = view.run(num)?.and_then(|run| run.ended) else { continue };
        weeks.insert(ended.0 / WEEK, ());
        outcomes += view.outcomes_of(num)?.len();
    }
    let weekly = outcomes as f64 / weeks.len().max(1) as f64;
    Ok(Gate {
        name: "volume",
        open: weekly >= LEAST_EVENTS,
        measured: format!("{weekly:.0} outcomes a week over {} weeks with sessions", weeks.len()),
        wanted: format!(">= {LEAST_EVENTS:.0} a week"),
    })
}
