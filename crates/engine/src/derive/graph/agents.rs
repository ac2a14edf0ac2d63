//! Edges between the runs of one session: sub-agents and messages.

use std::collections::HashMap;

use crate::model::{Edge, EdgeKind, Episode, SourceKind};
use crate::store::{AgentRow, Anchor, AnchorKind, EpisodeNum, RunRow, StoreError, ViewTx};

/// One run with what it shows to the others.
struct SessionRun {
    num: EpisodeNum,
    agent: Option<String>,
    run: RunRow,
    anchors: Vec<Anchor>,
}

impl SessionRun {
    fn of_kind(&self, kind: AnchorKind) -> impl Iterator<Item = &Anchor> {
        self.anchors.iter().filter(move |anchor| anchor.kind == kind)
    }
}

/// Renews all edges between the runs of a session.
pub(super) fn renew(
    tx: &mut ViewTx<'_>,
    source: SourceKind,
    session: &str,
    runs: &[(EpisodeNum, Episode)],
) -> Result<(), StoreError> {
    let owner = format!("session {} {session}", source.name());
    tx.clear_owner(&owner)?;
    if runs.len() < 2 {
        return Ok(());
    }
    let mut members = Vec::new();
    for (num, episode) in runs {
        let Some(run) = tx.read().run(*num)? else { continue };
        let anchors = tx.read().anchors(*num)?;
        members.push(SessionRun { num: *num, agent: episode.key.agent.clone(), run, anchors });
    }
    let spawns = spawns(&members);
    let names = names(&members, &spawns);
    let mut edges = Vec::new();
    for (index, member) in members.iter().enumerate().filter(|(_, member)| member.agent.is_some()) {
        let spawn = spawns.get(&index).copied();
        tx.put_agent(&AgentRow {
            episode: member.num,
            name: names[index].clone(),
            task: spawn.and_then(|spawn| spawn.task.clone()),
            team: member.run.team.clone().or_else(|| spawn.and_then(|spawn| spawn.team.clone())),
            parent: spawn.map(|spawn| spawn.episode),
            spawn_chunk: spawn.and_then(|spawn| spawn.chunk),
        })?;
        if let Some(spawn) = spawn {
            edges.extend(brief(tx, member, spawn)?);
            edges.extend(debrief(tx, &members, member, spawn)?);
        }
    }
    edges.extend(wake_ups(tx, &members, &names)?);
    edges.extend(messages(&members, &names));
    for edge in edges {
        tx.put_edge(&edge, &owner)?;
    }
    Ok(())
}

/// Which call started which run. Best evidence first: the run's own record of
/// the call, the call's result that names the agent, the same prompt.
fn spawns(members: &[SessionRun]) -> HashMap<usize, &Anchor> {
    let calls: Vec<&Anchor> = members.iter().flat_map(|member| member.of_kind(AnchorKind::Spawn)).collect();
    let with_key = |key: &Option<String>| calls.iter().copied().find(|call| call.key.is_some() && call.key == *key);
    let mut found: HashMap<usize, &Anchor> = HashMap::new();
    for (index, member) in members.iter().enumerate().filter(|(_, member)| member.agent.is_some()) {
        let told = with_key(&member.run.spawned_by);
        let reported = || {
            let mut reports = members.iter().flat_map(|other| other.of_kind(AnchorKind::Report));
            reports.find(|report| report.name == member.agent).and_then(|report| with_key(&report.key))
        };
        if let Some(call) = told.or_else(reported) {
            found.insert(index, call);
        }
    }
    for (index, member) in members.iter().enumerate().filter(|(_, member)| member.agent.is_some()) {
        if found.contains_key(&index) || member.run.prompt_hash.is_none() {
            continue;
        }
        let taken = |call: &Anchor| found.values().any(|taken| taken.event == call.event);
        let same_prompt = calls
            .iter()
            .copied()
            .filter(|call| call.episode != member.num)
            .find(|call| call.digest == member.run.prompt_hash && !taken(call));
        if let Some(call) = same_prompt {
            found.insert(index, call);
        }
    }
    found
}

/// Names of agents, best first: the call's `name`, the name in the call's result, the records' own
/// agent name, the name a matching message was sent to or came from, the kind of agent, and last
/// the host's id.
fn names(members: &[SessionRun], spawns: &HashMap<usize, &Anchor>) -> Vec<String> {
    let sends: Vec<&Anchor> = members.iter().flat_map(|member| member.of_kind(AnchorKind::Send)).collect();
    let receives: Vec<&Anchor> = members.iter().flat_map(|member| member.of_kind(AnchorKind::Receive)).collect();
    members
        .iter()
        .enumerate()
        .map(|(index, member)| {
            let Some(agent) = &member.agent else { return "main".to_owned() };
            let spawn = spawns.get(&index);
            let given = spawn.filter(|spawn| spawn.team.is_some()).and_then(|spawn| spawn.name.clone());
            let signed_result = || {
                let key = spawn.and_then(|spawn| spawn.key.clone())?;
                let mut reports = members.iter().flat_map(|other| other.of_kind(AnchorKind::Report));
                reports.find(|report| report.key.as_deref() == Some(&key))?.task.clone()
            };
            let addressed = || {
                let mine = member.of_kind(AnchorKind::Receive).next()?;
                let send = sends.iter().find(|send| send.episode != member.num && send.digest == mine.digest)?;
                send.name.clone()
            };
            let signed = || {
                let mine = member.of_kind(AnchorKind::Send).next()?;
                let receive =
                    receives.iter().find(|other| other.episode != member.num && other.digest == mine.digest)?;
                receive.name.clone()
            };
            given
                .or_else(signed_result)
                .or_else(|| member.run.agent_name.clone())
                .or_else(addressed)
                .or_else(signed)
                .or_else(|| spawn.and_then(|spawn| spawn.name.clone()))
                .unwrap_or_else(|| format!("agent {agent}"))
        })
        .collect()
}

fn brief(tx: &ViewTx<'_>, member: &SessionRun, spawn: &Anchor) -> Result<Option<Edge>, StoreError> {
    let kind = if spawn.team.is_some() { EdgeKind::TeamSpawn } else { EdgeKind::Brief };
    let (Some(source), Some(first)) = (spawn.chunk, tx.read().first_chunk(member.num)?) else { return Ok(None) };
    Ok(Some(Edge { source, target: first.id, kind, evidence: spawn.event }))
}

/// Where the sub-agent's report arrives. Teammates report by messages.
fn debrief(
    tx: &ViewTx<'_>,
    members: &[SessionRun],
    member: &SessionRun,
    spawn: &Anchor,
) -> Result<Option<Edge>, StoreError> {
    if spawn.team.is_some() {
        return Ok(None);
    }
    let notices = members.iter().flat_map(|other| other.of_kind(AnchorKind::Notice));
    let notice = notices.filter(|notice| notice.key == member.agent).find(|notice| notice.chunk.is_some());
    let reports = members.iter().flat_map(|other| other.of_kind(AnchorKind::Report));
    let report = reports.filter(|report| report.key.is_some()).find(|report| report.key == spawn.key);
    // A background agent's call returns at once; its end is announced later.
    let last = tx.read().last_chunk(member.num)?;
    let Some(last) = last else { return Ok(None) };
    let before_end = |anchor: &&Anchor| matches!((anchor.time, last.started), (Some(at), Some(end)) if at < end);
    let arrival = match (report, notice) {
        (Some(report), Some(notice)) if before_end(&report) => Some(notice),
        (Some(report), _) => Some(report),
        (None, notice) => notice,
    };
    let Some((arrival, target)) = arrival.and_then(|arrival| Some((arrival, arrival.chunk?))) else { return Ok(None) };
    Ok((Some(target) != spawn.chunk).then_some(Edge {
        source: last.id,
        target,
        kind: EdgeKind::Debrief,
        evidence: arrival.event,
    }))
}

/// A teammate has one file per wake-up: together they are one run.
fn wake_ups(tx: &ViewTx<'_>, members: &[SessionRun], names: &[String]) -> Result<Vec<Edge>, StoreError> {
    let mut by_name: HashMap<&str, Vec<&SessionRun>> = HashMap::new();
    for (member, name) in members.iter().zip(names) {
        let in_team = member.run.team.is_some() || member.of_kind(AnchorKind::Receive).next().is_some();
        if member.agent.is_some() && in_team {
            by_name.entry(name).or_default().push(member);
        }
    }
    let mut edges = Vec::new();
    for group in by_name.values_mut() {
        group.sort_by_key(|member| (member.run.started, member.num));
        for pair in group.windows(2) {
            let (last, first) = (tx.read().last_chunk(pair[0].num)?, tx.read().first_chunk(pair[1].num)?);
            if let (Some(last), Some(first)) = (last, first) {
                let kind = EdgeKind::WithinChain;
                edges.push(Edge { source: last.id, target: first.id, kind, evidence: first.first_event });
            }
        }
    }
    edges.sort();
    Ok(edges)
}

/// A message sent and the same message received.
fn messages(members: &[SessionRun], names: &[String]) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut arrived: Vec<&Anchor> = Vec::new();
    for (sender, sender_name) in members.iter().zip(names) {
        for send in sender.of_kind(AnchorKind::Send) {
            let receipt = members
                .iter()
                .zip(names)
                .filter(|(receiver, _)| receiver.num != sender.num)
                .flat_map(|(receiver, name)| {
                    receiver.of_kind(AnchorKind::Receive).map(move |receive| (receiver, name, receive))
                })
                .filter(|(_, _, receive)| !arrived.iter().any(|known| known.event == receive.event))
                .find(|(receiver, name, receive)| {
                    let same_text = receive.digest == send.digest;
                    let from = receive.name.as_deref().unwrap_or("");
                    let from_sender = from == sender_name || (sender.agent.is_none() && is_lead(from));
                    let to = send.name.as_deref().unwrap_or("");
                    let to_receiver = to == *name || (receiver.agent.is_none() && is_lead(to)) || to == "*";
                    same_text && from_sender && (to_receiver || receiver.agent.is_some())
                });
            let Some((receiver, _, receive)) = receipt else { continue };
            arrived.push(receive);
            if let (Some(source), Some(target)) = (send.chunk, receive.chunk) {
                let kind = if receiver.agent.is_none() { EdgeKind::TeamReport } else { EdgeKind::PeerMessage };
                edges.push(Edge { source, target, kind, evidence: send.event });
            }
        }
    }
    edges
}

fn is_lead(name: &str) -> bool {
    matches!(name, "team-lead" | "lead" | "main")
}
