//! Acts on projects apply to every view, can be undone, and change no stored row.

use backstory_engine::fixture::{World, same_rows};
use backstory_engine::log::Log;
use backstory_engine::model::{
    CardAct, CardStatus, EventId, EventKind, Project, ProjectAct, ProjectId, Scope, Timestamp, digest_of,
};
use backstory_engine::retrieve::{SessionQuery, projects, runs_in_folder, sessions};
use backstory_engine::store::CardFilter;

use crate::desk::TestResult;

const TWO: &str = "
session s1 claude_code 2026-01-03 shop
  user   Never push to the main branch without a review.
  edit   src/a.rs -a +b
session s2 claude_code 2026-01-04 till
  user   Always run the linter before you commit.
  run    make lint -> fail src/a.rs:3:1: result is not checked (unchecked)
session s3 claude_code 2026-01-05 shop
  user   what did we say of the linter?
agent scout of s3
  user   look for it
session s4 codex 2026-01-06 other
  user   Never touch the other things.
";

fn project(name: &str) -> ProjectId {
    ProjectId(digest_of("project", &[b"path", format!("/work/{name}").as_bytes()]))
}

fn say(world: &mut World, number: i64, act: &ProjectAct) -> TestResult<EventId> {
    let id = world.log.append_of_projects(Timestamp(1_770_000_000_000 + number), act, Vec::new())?;
    world.refresh();
    Ok(id)
}

fn sessions_of(world: &mut World, project: ProjectId) -> TestResult<Vec<String>> {
    let asked = SessionQuery { project: Some(project), ..SessionQuery::default() };
    Ok(sessions(&mut world.log, &world.views, &asked)?.into_iter().map(|info| info.session).collect())
}

fn cards_of(world: &World, project: ProjectId) -> TestResult<Vec<String>> {
    let rows = world.views.read().cards(&CardFilter { project: Some(project), ..CardFilter::default() })?;
    let own = rows.into_iter().filter(|row| row.card.scope == Scope::repo(project));
    Ok(own.map(|row| row.card.statement).collect())
}

fn rows_are_those_of_a_rebuild(world: &mut World) -> TestResult {
    let rebuilt = world.rebuilt();
    assert!(same_rows(&world.views, &rebuilt)?, "catching up gives the rows of a rebuild");
    Ok(())
}

#[test]
fn a_merge_is_followed_by_every_view_and_can_be_undone() -> TestResult {
    let mut world = World::new(TWO);
    let before = world.views.read().dump()?;
    let stored = world.log.store().stored_episodes()?;
    let merge = say(&mut world, 1, &ProjectAct::Merge { from: project("till"), into: project("shop") })?;

    assert_eq!(sessions_of(&mut world, project("shop"))?, ["s1", "s2", "s3"]);
    assert_eq!(sessions_of(&mut world, project("till"))?, Vec::<String>::new());
    assert_eq!(cards_of(&world, project("till"))?, Vec::<String>::new());
    assert!(cards_of(&world, project("shop"))?.iter().any(|card| card.contains("linter")));
    assert!(world.edges().contains("s1 0.0 -> s2 0.0 cross-session"), "{}", world.edges());
    let known = projects(&mut world.log)?;
    let shop = known.iter().find(|info| info.id == project("shop")).ok_or("no shop")?;
    assert_eq!((shop.episodes, shop.paths.len(), shop.merged.len()), (4, 2, 1));
    assert!(shop.is_meant_by("till") && shop.is_meant_by("/work/till"));
    rows_are_those_of_a_rebuild(&mut world)?;
    assert_eq!(&world.log.store().stored_episodes()?[..stored.len()], stored, "nothing stored has moved");
    assert!(world.log.verify()?.fault.is_none());

    say(&mut world, 2, &ProjectAct::Undo { event: merge })?;
    assert_eq!(sessions_of(&mut world, project("till"))?, ["s2"]);
    rows_are_those_of_a_rebuild(&mut world)?;
    let without_stages =
        |rows: Vec<String>| rows.into_iter().filter(|row| !row.starts_with("stages")).collect::<Vec<_>>();
    assert_eq!(without_stages(before), without_stages(world.views.read().dump()?));
    Ok(())
}

#[test]
fn what_was_judged_before_a_merge_still_counts() -> TestResult {
    let mut world = World::new(TWO);
    let linter = |world: &World| {
        let rows = world.views.read().cards(&CardFilter::default()).unwrap_or_default();
        rows.into_iter().map(|row| row.card).find(|card| card.statement.contains("linter")).ok_or("no card")
    };
    let card = linter(&world)?;
    let archive = CardAct::Archive { card: card.id };
    world.log.append_of_cards(EventKind::Judgement, Timestamp(1_770_000_000_000), String::new(), &archive)?;
    world.refresh();
    assert_eq!(linter(&world)?.status, CardStatus::Archived);
    say(&mut world, 1, &ProjectAct::Merge { from: project("till"), into: project("shop") })?;
    let merged = linter(&world)?;
    assert_eq!(merged.scope, Scope::repo(project("shop")));
    assert_eq!(merged.status, CardStatus::Archived, "it was put away by hand");
    rows_are_those_of_a_rebuild(&mut world)
}

#[test]
fn a_split_takes_what_happened_in_a_folder_along() -> TestResult {
    let mut world = World::new(TWO);
    let s1 = world.log.store().episodes()?.into_iter().find(|(_, it)| it.key.session == "s1").ok_or("no s1")?;
    let into = ProjectId(digest_of("project", &[b"path", b"/work/shop/cart"]));
    let act = ProjectAct::Split {
        project: project("shop"),
        into,
        folder: "/work/shop/cart".to_owned(),
        episodes: vec![s1.1.id()],
    };
    let place = Project { id: into, path: "/work/shop/cart".to_owned(), root_commit: None, remote: None };
    world.log.append_of_projects(Timestamp(1_770_000_000_000), &act, vec![place])?;
    world.refresh();
    assert_eq!(sessions_of(&mut world, into)?, ["s1"]);
    assert_eq!(sessions_of(&mut world, project("shop"))?, ["s3"]);
    assert!(cards_of(&world, into)?.iter().any(|card| card.contains("main branch")));
    assert!(!cards_of(&world, project("shop"))?.iter().any(|card| card.contains("main branch")), "it has left");
    rows_are_those_of_a_rebuild(&mut world)
}

#[test]
fn an_undone_split_leaves_one_project() -> TestResult {
    let mut world = World::new(TWO);
    let s1 = world.log.store().episodes()?.into_iter().find(|(_, it)| it.key.session == "s1").ok_or("no s1")?;
    let (into, folder) = (project("cart"), "/work/cart".to_owned());
    let act = ProjectAct::Split { project: project("shop"), into, folder: folder.clone(), episodes: vec![s1.1.id()] };
    let place = Project { id: into, path: folder, root_commit: None, remote: None };
    let split = world.log.append_of_projects(Timestamp(1_770_000_000_000), &act, vec![place])?;
    world.goes_on("session s5 claude_code 2026-01-07 cart\n  user polish the kettle\n");
    assert_eq!(sessions_of(&mut world, into)?, ["s1", "s5"]);

    say(&mut world, 1, &ProjectAct::Undo { event: split })?;
    world.goes_on("session s6 claude_code 2026-01-08 cart\n  user polish it again\n");
    assert_eq!(sessions_of(&mut world, project("shop"))?, ["s1", "s3", "s5", "s6"]);
    let known = projects(&mut world.log)?;
    assert!(known.iter().all(|info| info.id != into), "{known:?}");
    let shop = known.iter().find(|info| info.id == project("shop")).ok_or("no shop")?;
    assert_eq!((shop.episodes, shop.paths.as_slice(), shop.merged.len()), (5, &["/work/shop".to_owned()][..], 0));
    rows_are_those_of_a_rebuild(&mut world)
}

#[test]
fn a_name_changes_nothing_else() -> TestResult {
    let mut world = World::new(TWO);
    let before = world.views.read().dump()?;
    say(&mut world, 1, &ProjectAct::Rename { project: project("shop"), name: "lantern".to_owned() })?;
    let known = projects(&mut world.log)?;
    assert!(known.iter().any(|info| info.id == project("shop") && info.is_meant_by("lantern")));
    let rows = |rows: Vec<String>| rows.into_iter().filter(|row| !row.starts_with("stages")).collect::<Vec<_>>();
    assert_eq!(rows(before), rows(world.views.read().dump()?));
    Ok(())
}

#[test]
fn aliases_survive_export_and_import() -> TestResult {
    let mut world = World::new(TWO);
    say(&mut world, 1, &ProjectAct::Merge { from: project("till"), into: project("shop") })?;
    let mut bytes = Vec::new();
    world.log.export(&mut bytes)?;
    let mut copy = Log::open_in_memory()?;
    copy.import("copy", &mut bytes.as_slice())?;
    assert_eq!(copy.store().aliases()?, world.log.store().aliases()?);
    assert_eq!(copy.store().stored_episodes()?, world.log.store().stored_episodes()?);
    Ok(())
}

#[test]
fn runs_are_told_by_their_folder() -> TestResult {
    let mut world = World::new(TWO);
    let runs = runs_in_folder(&mut world.log, project("shop"), "/nowhere")?;
    assert_eq!((runs.inside.len(), runs.outside), (0, 3));
    Ok(())
}
