//! How good are the answers? One file per question that is asked of them.

mod chats;
mod commits;
mod lines;
mod scores;
mod world;

use std::error::Error;
use std::path::Path;

use backstory_engine::retrieve::rank::{Fusion, Ranking};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs every measurement of quality with one ranking.
pub fn run(data: &Path, only: &[String], set: &[String]) -> Outcome<()> {
    let mut ranking = Ranking::default();
    for assignment in set {
        assign(&mut ranking, assignment)?;
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|asked| asked == name);
    if wanted("commits") || wanted("lines") {
        let mut sessions = world::World::of_sessions(&data.join("sessions/entire"))?;
        if wanted("commits") {
            commits::run(data, &mut sessions, &ranking)?;
        }
        if wanted("lines") {
            lines::run(data, &mut sessions, &ranking)?;
        }
    }
    for set in ["locomo", "beam"] {
        if wanted(set) {
            chats::run(data, set, &ranking)?;
        }
    }
    Ok(())
}

/// `name=value` for one number of the ranking.
fn assign(ranking: &mut Ranking, assignment: &str) -> Outcome<()> {
    let (name, value) = assignment.split_once('=').ok_or("--set wants name=value")?;
    if name == "fusion" {
        ranking.fusion = match value {
            "sum" => Fusion::Sum,
            "rrf" => Fusion::ReciprocalRank { k: 60.0 },
            _ => return Err("fusion is sum or rrf".into()),
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
        "vectors" => &mut ranking.vectors,
        "after_question" => &mut ranking.after_question,
        "after_statement" => &mut ranking.after_statement,
        "before" => &mut ranking.before,
        "session" => &mut ranking.session,
        "user" => &mut ranking.user,
        "recency" => &mut ranking.recency,
        "clusters" => &mut ranking.clusters,
        "diversity" => &mut ranking.diversity,
        _ => return Err(format!("the ranking has no number '{name}'").into()),
    };
    *place = number;
    Ok(())
}
