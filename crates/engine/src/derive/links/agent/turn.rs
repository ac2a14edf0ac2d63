//! Which links and outcomes does a turn of an agent give?

use backstory_language::prompts::asks::{self, Ask};

use crate::derive::chunk::{cut_turns, is_delivered_later};
use crate::model::{
    AgentStep, CausalLink, Event, EventId, EventKind, EventSpan, Outcome, agent_steps, is_prompt, link_id,
};
use crate::store::{EpisodeNum, LinkRow};

use super::{answers, outcomes};

/// The kernel name under which these links are stored.
pub const KERNEL: &str = "structure";
pub const KERNEL_VERSION: u32 = 1;

/// The number of earlier prompts that a correction may refer to.
pub const REACH: usize = 8;

/// The rows of one turn.
#[derive(Debug, Default)]
pub struct TurnLinks {
    pub links: Vec<LinkRow>,
    pub outcomes: Vec<Outcome>,
    /// Calls that write to-do lists.
    pub notes: Vec<(u32, EventId)>,
}

/// An earlier prompt that a correction may refer to.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub prompt: EventId,
    /// The words of the prompt and the answer.
    pub text: String,
}

/// The position of the turn.
#[derive(Clone, Copy, Debug)]
pub struct TurnPlace<'a> {
    pub session: &'a str,
    /// The sub-agent, if it is a sub-agent's run.
    pub agent: Option<&'a str>,
    pub episode: EpisodeNum,
    pub turn: u32,
}

/// `next`: the first event of the next turn, if there is one. `earlier`: the previous prompts, newest last.
pub fn of_turn(place: TurnPlace<'_>, events: &[Event], next: Option<&Event>, earlier: &[Earlier]) -> TurnLinks {
    let steps = agent_steps(events);
    let prompts: Vec<&Event> = without_queued_copies(events, next).filter(|event| is_prompt(event)).collect();
    let outcomes = outcomes::of_turn(events, prompts.first().copied(), &steps, earlier);
    let mut out = TurnLinks { outcomes, ..TurnLinks::default() };
    for (number, prompt) in prompts.iter().enumerate() {
        let until = prompts.get(number + 1).map_or(u32::MAX, |next| next.seq);
        let after: Vec<&AgentStep<'_>> =
            steps.iter().filter(|step| step.seq > prompt.seq && step.seq < until).collect();
        let asks = asks::of_prompt(&prompt.text);
        for (ask, answer) in asks.iter().zip(answers::of_asks(&prompt.text, &asks, &after)) {
            out.links.push(link(place, prompt, ask, answer));
        }
    }
    for event in events.iter().filter(|event| event.kind == EventKind::ToolCall) {
        if event.meta.tool.as_deref().is_some_and(notes_tasks) {
            out.notes.push((event.seq, event.id));
        }
    }
    out
}

/// All turns of an episode, linked as the stage links them.
pub struct AgentEpisode<'e> {
    /// The events without copies, in order.
    pub events: Vec<&'e Event>,
    pub links: Vec<CausalLink>,
    pub outcomes: Vec<Outcome>,
}

pub fn of_episode<'e>(
    episode: EpisodeNum,
    session: &str,
    agent: Option<&str>,
    events: &'e [Event],
) -> AgentEpisode<'e> {
    let mut out = AgentEpisode { events: Vec::new(), links: Vec::new(), outcomes: Vec::new() };
    let mut earlier = Vec::new();
    for (turn, (events, next)) in cut_turns(events).into_iter().enumerate() {
        let place = TurnPlace { session, agent, episode, turn: turn as u32 };
        let found = of_turn(place, events, next, &earlier);
        remember(&mut earlier, &found.links);
        out.events.extend(without_queued_copies(events, next));
        out.outcomes.extend(found.outcomes);
        out.links.extend(found.links.into_iter().map(|row| row.link));
    }
    out
}

/// A turn's events without copies of messages that stand where they were
/// delivered: the host also writes down what waits in the queue.
pub fn without_queued_copies<'a>(events: &'a [Event], next: Option<&'a Event>) -> impl Iterator<Item = &'a Event> {
    let later = move |at: usize| events[at + 1..].iter().chain(next);
    events.iter().enumerate().filter(move |(at, event)| !is_delivered_later(event, later(*at))).map(|(_, event)| event)
}

/// The parts of a prompt are stored as one entry. Only as many as a correction can refer to are
/// kept, so that slices do not affect the result.
pub fn remember(earlier: &mut Vec<Earlier>, links: &[LinkRow]) {
    for row in links {
        let prompt = EventId(row.intent.id);
        let answer = row.link.consequence.as_ref().map_or("", |consequence| &consequence.text);
        let words = format!("{} {answer} ", row.link.intent_text);
        match earlier.last_mut().filter(|last| last.prompt == prompt) {
            Some(last) => last.text.push_str(&words),
            None => earlier.push(Earlier { prompt, text: words }),
        }
    }
    let reach = earlier.len().saturating_sub(REACH);
    earlier.drain(..reach);
}

/// To-do list tools of agents.
fn notes_tasks(tool: &str) -> bool {
    matches!(tool, "TodoWrite" | "TaskCreate" | "TaskUpdate" | "update_plan")
}

fn link(place: TurnPlace<'_>, prompt: &Event, ask: &Ask, answer: Option<answers::AnsweringStep<'_>>) -> LinkRow {
    let intent = EventSpan::of(prompt, ask.start, ask.end);
    let intent_text = intent.text.to_owned();
    let actor = prompt.meta.from.clone().unwrap_or_else(|| "user".to_owned());
    let run = format!("{} {}", place.session, place.agent.unwrap_or_default());
    let id = link_id(&run, KERNEL, KERNEL_VERSION, prompt.seq, &intent_text);
    let consequence_evidence = answer.as_ref().map(|answer| answer.step.evidence());
    let link = CausalLink {
        id,
        session: place.session.to_owned(),
        actor,
        intent_text,
        intent_type: ask.kind,
        intent_strength: ask.kind.strength(),
        intent_anchor: prompt.seq,
        consequence_type: answers::consequence_type(ask.kind, answer.as_ref()),
        consequence: answer.map(|answer| answer.consequence(prompt.seq)),
        kernel: KERNEL.into(),
        kernel_version: KERNEL_VERSION,
        kernel_params: "{}".into(),
    };
    LinkRow {
        episode: place.episode,
        turn: place.turn,
        time: prompt.time,
        link,
        intent: intent.evidence(prompt),
        consequence: consequence_evidence,
    }
}
