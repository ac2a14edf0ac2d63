//! At each failure of the real sessions, in order of time: had it occurred before, and what would `fix` and `check`
//! have answered?

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use backstory_engine::model::{CheckRun, ProjectId, Timestamp};
use backstory_engine::retrieve::{Check, ErrorForm, Fix, FixGround, FixItem, KnownRemedy, check, fix};
use backstory_engine::store::EpisodeNum;
use backstory_language::diagnostics::DiagnosticKind;

use crate::quality::World;

/// A failing run of a check, with its location.
struct Failure {
    episode: EpisodeNum,
    session: String,
    project: ProjectId,
    run: CheckRun,
}

#[derive(Default)]
struct Tally {
    failures: usize,
    /// With a diagnostic that an earlier session had as well.
    recurrences: usize,
    answered: usize,
    items: usize,
    warnings: usize,
    by_sort: BTreeMap<&'static str, (usize, usize, usize)>,
}

pub fn run(data: &Path, sample: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let mut world = World::of_sessions(&data.join("sessions"))?;
    let failures = failures(&mut world)?;
    println!("                    failures  recurrences  answered  coverage  items  warnings");
    let mut pages = Vec::new();
    for all_projects in [false, true] {
        let (tally, page) = measure(&mut world, &failures, all_projects)?;
        println!(
            "{:18} {:9} {:12} {:9} {:9.2} {:6} {:9}",
            if all_projects { "all projects" } else { "by project" },
            tally.failures,
            tally.recurrences,
            tally.answered,
            tally.answered as f64 / tally.recurrences.max(1) as f64,
            tally.items,
            tally.warnings,
        );
        for (sort, (failures, recurrences, answered)) in &tally.by_sort {
            println!("  {sort:16} {failures:9} {recurrences:12} {answered:9}");
        }
        pages.push(page);
    }
    let (asked, median, slowest) = quickness(&mut world)?;
    println!("check of {asked} commands, without an error: median {median:.0} µs, slowest {slowest:.0} µs");
    if let Some(folder) = sample {
        std::fs::create_dir_all(folder)?;
        for (name, page) in ["by-project.md", "all-projects.md"].iter().zip(pages) {
            std::fs::write(folder.join(name), page)?;
        }
        std::fs::write(folder.join("cards.md"), cards(&world)?)?;
    }
    Ok(())
}

/// How long `check` takes for commands as they were run, in microseconds.
fn quickness(world: &mut World) -> Result<(usize, f64, f64), Box<dyn Error>> {
    let mut commands = Vec::new();
    for (num, episode) in world.memory.log().store().episodes()? {
        let (runs, _) = world.memory.views().read().checks_of(num)?;
        commands.extend(runs.into_iter().map(|run| (run.commands.join(" && "), episode.project)));
    }
    let mut times = Vec::new();
    for (action, project) in commands {
        let (log, views) = world.memory.parts();
        let question = Check { action, project: Some(project), ..Check::default() };
        let start = Instant::now();
        std::hint::black_box(check(log, views, &question)?);
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len().saturating_sub(1) * share / 100).copied().unwrap_or(f64::NAN);
    Ok((times.len(), at(50), at(100)))
}

/// Every failing check, oldest first.
fn failures(world: &mut World) -> Result<Vec<Failure>, Box<dyn Error>> {
    let mut out = Vec::new();
    for (num, episode) in world.memory.log().store().episodes()? {
        let (runs, _) = world.memory.views().read().checks_of(num)?;
        for run in runs.into_iter().filter(|run| run.is_check && !run.passed && run.time.is_some()) {
            let (session, project) = (episode.key.session.clone(), episode.project);
            out.push(Failure { episode: num, session, project, run });
        }
    }
    out.sort_by_key(|failure| (failure.run.time, failure.episode));
    Ok(out)
}

fn measure(world: &mut World, failures: &[Failure], all_projects: bool) -> Result<(Tally, String), Box<dyn Error>> {
    let mut tally = Tally::default();
    let mut page = String::new();
    for failure in failures {
        let project = (!all_projects).then_some(failure.project);
        let (log, views) = world.memory.parts();
        let Some(output) = log.store().event(failure.run.output)? else { continue };
        let Some(call) = log.store().event(failure.run.call)? else { continue };
        let (before, other_than) = (failure.run.time, Some(failure.session.clone()));
        let other = other_than.clone();
        let question = Fix { error: output.text.clone(), project, before, other_than: other, form: ErrorForm::Output };
        let found = fix(log, views, &question)?;
        let error = Some(output.text.clone());
        let question = Check { action: call.text.clone(), error, project, before, other_than, ..Check::default() };
        let warnings = check(log, views, &question)?;
        tally.failures += 1;
        let recurs = found.known > 0;
        tally.recurrences += usize::from(recurs);
        tally.answered += usize::from(!found.items.is_empty());
        tally.items += found.items.len();
        tally.warnings += warnings.cards().count();
        let sort = failure.run.diagnostics.iter().map(|found| found.sort).min().unwrap_or(DiagnosticKind::Other).name();
        let row = tally.by_sort.entry(sort).or_default();
        *row = (row.0 + 1, row.1 + usize::from(recurs), row.2 + usize::from(!found.items.is_empty()));
        if recurs || !warnings.is_empty() {
            let spoke = if found.items.is_empty() { "SILENT" } else { "SPOKE" };
            let time = failure.run.time.map(|time: Timestamp| time.to_string()).unwrap_or_default();
            writeln!(
                page,
                "## {spoke} {sort} {} {time}\n$ {}",
                &failure.session[..failure.session.len().min(8)],
                clip(&call.text, 200)
            )?;
            for diagnostic in failure.run.diagnostics.iter().take(6) {
                let place = diagnostic.file.as_deref().unwrap_or("-");
                writeln!(
                    page,
                    "  ! {} {:?} {place}: {}",
                    diagnostic.sort.name(),
                    diagnostic.rule,
                    clip(&diagnostic.text, 160)
                )?;
            }
            for item in &found.items {
                show(&mut page, item)?;
            }
            for card in warnings.cards() {
                writeln!(page, "  CARD {} {}", card.kind.name(), card.statement)?;
            }
            writeln!(page)?;
        }
    }
    Ok((tally, page))
}

fn show(page: &mut String, item: &FixItem) -> std::fmt::Result {
    let how = if item.ground == FixGround::Rule { "rule" } else { "same" };
    writeln!(
        page,
        "  FIX [{how} x{}] {} -- then: {} ({:?})",
        item.times,
        clip(&item.diagnostic, 100),
        clip(&item.then, 100),
        item.file
    )?;
    match &item.remedy {
        KnownRemedy::Commands(commands) => writeln!(page, "     ran {commands:?}")?,
        KnownRemedy::Form(form) => writeln!(page, "     passed as {form}")?,
        KnownRemedy::Change(change) => {
            for line in &change.removed {
                writeln!(page, "     - {}", clip(line, 140))?;
            }
            for line in &change.added {
                writeln!(page, "     + {}", clip(line, 140))?;
            }
        }
    }
    if let Some(vain) = &item.in_vain {
        writeln!(page, "     failed attempt: -{:?} +{:?}", vain.removed.first(), vain.added.first())?;
    }
    Ok(())
}

/// The cards from the failures.
fn cards(world: &World) -> Result<String, Box<dyn Error>> {
    let mut page = String::new();
    for row in world.memory.views().read().cards(&backstory_engine::store::CardFilter::default())? {
        let card = row.card;
        writeln!(page, "{} {} {} {}", card.kind.name(), card.source.name(), card.status.name(), card.statement)?;
    }
    let mut lines: Vec<&str> = page.lines().collect();
    lines.sort_unstable();
    Ok(lines.join("\n"))
}

fn clip(text: &str, longest: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(longest).collect()
}
