//! How good are the answers? One file per kind of question.

mod ablation;
mod chats;
mod commits;
mod lines;
mod needles;
mod order;
mod overlap;
mod relevance;
mod scores;
mod world;

pub use world::World;
mod zero_overlap;

use std::error::Error;
use std::path::{Path, PathBuf};

use backstory_engine::retrieve::rank::{Ranking, RankingMode};

pub type EvalResult<T> = Result<T, Box<dyn Error>>;

#[derive(clap::Args)]
pub struct QualityOptions {
    /// The folder of evaluation data
    data: PathBuf,
    /// Only these: commits, lines, order, overlap, relevance, needles, zero_overlap, locomo, beam; ablation runs only when it is named
    #[arg(long)]
    only: Vec<String>,
    /// Another number for the ranking, as name=value
    #[arg(long)]
    set: Vec<String>,
    /// A folder with a sentence model, to use for zero_overlap, locomo and beam instead of the embedding that ships
    #[arg(long)]
    model: Option<PathBuf>,
}

/// Runs the selected measurements with one ranking.
pub fn run(options: &QualityOptions) -> EvalResult<()> {
    let QualityOptions { data, only, set, model } = options;
    let mut ranking = Ranking::default();
    for assignment in set {
        assign(&mut ranking, assignment)?;
    }
    let named = |name: &str| only.iter().any(|asked| asked == name);
    let wanted = |name: &str| named(name) || only.is_empty() && model.is_none();
    if ["commits", "lines", "order", "overlap", "relevance"].into_iter().any(wanted) {
        of_real_sessions(data, &ranking, wanted)?;
    }
    if wanted("needles") {
        needles::run(data, &ranking)?;
    }
    // A slow model is used for the small sets only.
    let wanted_with_model = |name: &str| wanted(name) || only.is_empty();
    if wanted_with_model("zero_overlap") {
        zero_overlap::run(data, &ranking, model.as_deref())?;
    }
    for set in ["locomo", "beam"] {
        if wanted_with_model(set) {
            let mut chats = chats::Chats::read(data, set, model.as_deref())?;
            let scores = chats.measure(&ranking)?;
            chats.print(&scores);
        }
    }
    if named("ablation") { ablation::run(data, &ranking) } else { Ok(()) }
}

/// Measurements on one memory of the real sessions.
fn of_real_sessions(data: &Path, ranking: &Ranking, wanted: impl Fn(&str) -> bool) -> EvalResult<()> {
    let mut world = World::of_sessions(&sessions_in(data))?;
    let commits = commits::Commits::read(data, &mut world)?;
    if wanted("commits") {
        commits.print(&mut world, ranking)?;
    }
    if wanted("lines") {
        lines::Lines::read(data, &world)?.report(&mut world, ranking)?;
    }
    if wanted("order") {
        order::run(&mut world, ranking)?;
    }
    if wanted("overlap") {
        overlap::run(&mut world, &commits, ranking)?;
    }
    if wanted("relevance") {
        relevance::run(&mut world, &commits, ranking)?;
    }
    Ok(())
}

fn sessions_in(data: &Path) -> PathBuf {
    data.join("sessions").join("entire")
}

/// `name=value` for one parameter of the ranking.
fn assign(ranking: &mut Ranking, assignment: &str) -> EvalResult<()> {
    let (name, value) = assignment.split_once('=').ok_or("--set wants name=value")?;
    if name == "mode" {
        ranking.mode = match value {
            "measured" => RankingMode::Measured,
            "seed" => RankingMode::Seed,
            _ => return Err("mode is measured or seed".into()),
        };
        return Ok(());
    }
    let number: f32 = value.parse()?;
    let place = match name {
        "k1" => &mut ranking.k1,
        "b" => &mut ranking.b,
        "content" => &mut ranking.fields[0],
        "place" => &mut ranking.fields[1],
        "tail" => &mut ranking.fields[2],
        "output" => &mut ranking.fields[3],
        "thinking" => &mut ranking.thinking,
        "words" => &mut ranking.words,
        "vectors" => &mut ranking.vectors,
        "reply" => &mut ranking.reply,
        "after" => &mut ranking.after,
        "before" => &mut ranking.before,
        "written" => &mut ranking.written,
        "answered" => &mut ranking.answered,
        "date" => &mut ranking.date,
        "session" => &mut ranking.session,
        "turn" => &mut ranking.turn,
        "assistant" => &mut ranking.assistant,
        "verbatim" => &mut ranking.verbatim,
        _ => return Err(format!("the ranking has no number '{name}'").into()),
    };
    *place = number;
    Ok(())
}
