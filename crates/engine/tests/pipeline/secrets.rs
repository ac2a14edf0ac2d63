//! No string in the log contains a secret, in any field.

use std::fs;

use backstory_engine::log::{Appended, Batch, Bookkeeping, Log};
use backstory_engine::model::{
    Digest, EpisodeKey, EventDraft, EventKind, Meta, Project, ProjectId, SourceKind, Timestamp, digest_of,
};
use serde_json::json;

use crate::desk::TestResult;

/// Assembled at run time, so that no scanner finds it here.
fn token() -> String {
    ["gh", "p_", "q7Zk2mXw9LpR4tVbQ8Zk3mXw0LpR5tVbA1cD"].concat()
}

fn batch() -> Batch {
    let token = token();
    let project = Project {
        id: ProjectId(digest_of("project", &[b"path", b"shop"])),
        path: format!("/home/jan/{token}/shop"),
        root_commit: None,
        remote: Some(format!("example.com/{token}/shop")),
    };
    let key = EpisodeKey {
        source: SourceKind::ClaudeCode,
        session: format!("nightly_{token}"),
        agent: Some(format!("agent-{token}")),
    };
    let mut batch = Batch::default();
    let slot = batch.episode(&key, project.id);
    batch.projects.push(project);
    let meta = Meta {
        tool: Some(format!("mcp__deploy_{token}")),
        tool_use_id: Some("toolu_1".to_owned()),
        cwd: Some("/srv/password=q7Zk2mXw9L/shop".to_owned()),
        branch: Some(format!("fix-{token}")),
        slug: Some(format!("night-{token}")),
        agent: Some(format!("scout-{token}")),
        files: vec![format!("/tmp/a-{token}.txt")],
        input: Some(json!({"password": "correct horse battery staple", "env": {"DB_PASSWORD": "sunflower"}})),
        ..Meta::default()
    };
    let key = Digest([7; 16]);
    let text = "mysql -u root -pq7Zk2mXw9L shop".to_owned();
    batch.push(slot, EventDraft { key, kind: EventKind::ToolCall, time: Some(Timestamp(1)), text, meta });
    batch.artifacts.push((format!("/home/jan/.claude/s_{token}/tool-results/1.txt"), "fine".to_owned()));
    batch
}

/// All planted secrets.
fn secrets() -> Vec<String> {
    let mut list = vec![token()];
    list.extend(["q7Zk2mXw9L", "battery staple", "sunflower"].map(str::to_owned));
    list
}

#[test]
fn no_field_keeps_a_secret() -> TestResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log.sqlite");
    let mut log = Log::open(&path)?;
    let appended = log.append(batch(), &Bookkeeping::default())?;
    assert_eq!((appended.new, appended.known), (1, 0));
    assert_eq!(log.verify()?.fault, None);
    let mut exported = Vec::new();
    log.export(&mut exported)?;
    log.store().checkpoint_wal_or_fail()?;
    drop(log);
    let exported = String::from_utf8(exported)?;
    for secret in secrets() {
        assert!(!exported.contains(&secret), "{secret} in {exported}");
        for entry in fs::read_dir(folder.path())? {
            let bytes = fs::read(entry?.path())?;
            let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_there, "{secret} is in the file");
        }
    }
    Ok(())
}

/// The id of the redacted session is the same each time.
#[test]
fn what_was_redacted_is_recognised_when_it_comes_again() -> TestResult {
    let mut log = Log::open_in_memory()?;
    log.append(batch(), &Bookkeeping::default())?;
    let again = log.append(batch(), &Bookkeeping::default())?;
    assert_eq!(again, Appended { new: 0, known: 1, redacted: again.redacted.clone() });
    assert_eq!(log.store().episodes()?.len(), 1);
    assert_eq!(log.store().artifacts()?.len(), 1);
    assert_eq!(log.store().known_projects()?.len(), 1);
    let mut exported = Vec::new();
    log.export(&mut exported)?;
    let mut copy = Log::open_in_memory()?;
    copy.import("export", &mut &exported[..])?;
    let mut of_copy = Vec::new();
    copy.export(&mut of_copy)?;
    assert_eq!(String::from_utf8(of_copy)?, String::from_utf8(exported)?);
    Ok(())
}

#[test]
fn an_import_is_redacted_in_every_field() -> TestResult {
    let token = token();
    let lines = [
        json!({"type": "log", "format": 1}),
        json!({"type": "project", "id": "6620a26e42dc464af988ee481e985aa6", "path": format!("/home/{token}"),
               "root_commit": null, "remote": null}),
        json!({"type": "artifact", "path": format!("/home/jan/r_{token}/1.txt"), "text": "fine"}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut log = Log::open_in_memory()?;
    assert_eq!(log.import("export", &mut lines.as_bytes())?.problems, []);
    let mut exported = Vec::new();
    log.export(&mut exported)?;
    let exported = String::from_utf8(exported)?;
    assert!(exported.contains("[redacted:github-token]") && !exported.contains(&token), "{exported}");
    Ok(())
}
