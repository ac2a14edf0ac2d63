//! How does the question lead to a document? Typed links, each with its evidence.

use std::collections::BinaryHeap;

use backstory_code::CodeEdgeKind;
use rustc_hash::FxHashMap;

use super::confidence::ConfidenceValue;
use crate::tree::{EntityNum, TreeEdge, TreeEntity, TreeIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeType {
    Query,
    Concept,
    Entity,
    Document,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CausalNode {
    #[serde(rename = "type")]
    pub kind: NodeType,
    pub id: String,
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CausalRelationship {
    Answers,
    Defines,
    Implements,
    Calls,
    Modifies,
    Constrains,
    Contextualizes,
}

impl CausalRelationship {
    pub fn name(self) -> &'static str {
        match self {
            CausalRelationship::Answers => "answers",
            CausalRelationship::Defines => "defines",
            CausalRelationship::Implements => "implements",
            CausalRelationship::Calls => "calls",
            CausalRelationship::Modifies => "modifies",
            CausalRelationship::Constrains => "constrains",
            CausalRelationship::Contextualizes => "contextualizes",
        }
    }

    pub fn of_edge(kind: CodeEdgeKind) -> Self {
        match kind {
            CodeEdgeKind::Calls => CausalRelationship::Calls,
            CodeEdgeKind::Writes => CausalRelationship::Modifies,
            CodeEdgeKind::Inherits | CodeEdgeKind::Implements => CausalRelationship::Implements,
            CodeEdgeKind::Defines | CodeEdgeKind::Contains => CausalRelationship::Defines,
            // A type or setting that is read limits the possible results.
            CodeEdgeKind::Reads | CodeEdgeKind::Uses | CodeEdgeKind::Configures | CodeEdgeKind::Decorates => {
                CausalRelationship::Constrains
            }
            CodeEdgeKind::Tests | CodeEdgeKind::Documents | CodeEdgeKind::Imports => CausalRelationship::Contextualizes,
        }
    }
}

/// One step from the question towards a document.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CausalChainLink {
    pub from: CausalNode,
    pub to: CausalNode,
    pub relationship: CausalRelationship,
    pub strength: f32,
    pub evidence: String,
    /// The relationship points from `to` to `from`: the step goes from the callee to its caller.
    pub against: bool,
    /// Based on a name alone, or ambiguous.
    pub unsure: bool,
}

impl CausalChainLink {
    /// A resolved call is certain; a call matched by name alone may belong to another entity.
    pub fn confidence(&self) -> ConfidenceValue {
        match self.unsure {
            false => ConfidenceValue::Deterministic { value: 1.0 },
            true => ConfidenceValue::Bounded { low: self.strength.min(1.0), high: 1.0, basis: "its name alone" },
        }
    }
}

/// A chain is as strong as its weakest link.
pub fn chain_strength(chain: &[CausalChainLink]) -> f32 {
    chain.iter().map(|link| link.strength).fold(1.0, f32::min) * f32::from(u8::from(!chain.is_empty()))
}

pub fn query_node() -> CausalNode {
    CausalNode { kind: NodeType::Query, id: "query".to_owned(), label: "the question".to_owned() }
}

pub fn entity_node(tree: &TreeIndex, entity: &TreeEntity<'_>) -> CausalNode {
    CausalNode { kind: NodeType::Entity, id: entity_id(tree, entity), label: entity.qualified.to_owned() }
}

/// `code:src/cart.ts:Cart.add`; the second entity with that name in one file ends in `#2`.
pub fn entity_id(tree: &TreeIndex, entity: &TreeEntity<'_>) -> String {
    if entity.parent.is_none() && entity.qualified == entity.path {
        return format!("code:{}", entity.path);
    }
    let before = tree.entities_of(entity.file).take_while(|other| *other < entity.number);
    let same = before.filter_map(|other| tree.entity(other)).filter(|other| other.qualified == entity.qualified);
    match same.count() {
        0 => format!("code:{}:{}", entity.path, entity.qualified),
        earlier => format!("code:{}:{}#{}", entity.path, entity.qualified, earlier + 1),
    }
}

/// Each further step counts less.
const STEP: f32 = 0.8;
/// Against the direction of a call: the caller may pass the faulty value.
const BACKWARDS: f32 = 0.5;
/// A weaker edge is one of many guesses.
const LEAST_STRENGTH: f32 = 0.3;
/// At most this many entities are visited.
const MOST_REACHED: usize = 4_000;
/// An entity with more users says nothing about one of them.
const MOST_USERS: usize = 40;

/// The entities reachable from some others by calls, reads and writes.
pub struct Reach {
    steps: FxHashMap<EntityNum, Step>,
}

#[derive(Clone, Copy)]
struct Step {
    edge: Option<TreeEdge>,
    strength: f32,
    depth: u32,
}

#[derive(PartialEq)]
struct Open {
    strength: f32,
    entity: EntityNum,
}

impl Eq for Open {}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.strength.total_cmp(&other.strength).then(other.entity.cmp(&self.entity))
    }
}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// How far a walk goes back from the entities that the question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerSteps {
    None,
    /// A caller may pass the faulty value.
    One,
}

impl Reach {
    /// Strongest paths first, up to `depth` steps.
    pub fn from(tree: &TreeIndex, anchors: &[(EntityNum, f32)], depth: u32, callers: CallerSteps) -> Self {
        let mut steps: FxHashMap<EntityNum, Step> = FxHashMap::default();
        let mut open = BinaryHeap::new();
        for &(entity, strength) in anchors {
            steps.insert(entity, Step { edge: None, strength, depth: 0 });
            open.push(Open { strength, entity });
        }
        while let Some(Open { strength, entity }) = open.pop() {
            let here = steps[&entity];
            if here.strength > strength || here.depth >= depth || steps.len() > MOST_REACHED {
                continue;
            }
            // Callers of callers are too many.
            let back = callers == CallerSteps::One && here.depth == 0;
            let users = tree.edges_to(entity).filter(|edge| edge.kind == CodeEdgeKind::Calls && back);
            let backwards = users.take(MOST_USERS).map(|edge| (edge, edge.from, BACKWARDS));
            let forwards = tree.edges_from(entity).filter(|edge| leads_on(edge.kind)).map(|edge| (edge, edge.to, STEP));
            let sure = forwards.chain(backwards).filter(|(edge, ..)| edge.strength >= LEAST_STRENGTH);
            for (edge, other, share) in sure.filter(|(_, other, _)| can_run(tree, *other)) {
                let next = strength * share * edge.strength;
                if steps.get(&other).is_none_or(|known| known.strength < next) {
                    steps.insert(other, Step { edge: Some(edge), strength: next, depth: here.depth + 1 });
                    open.push(Open { strength: next, entity: other });
                }
            }
        }
        Self { steps }
    }

    /// The reached entities without the anchors, strongest first.
    pub fn reached(&self) -> Vec<(EntityNum, f32)> {
        let found = self.steps.iter().filter(|(_, step)| step.edge.is_some());
        let mut all: Vec<(EntityNum, f32)> = found.map(|(entity, step)| (*entity, step.strength)).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all
    }

    /// The anchor and the steps from it.
    fn way(&self, to: EntityNum) -> (EntityNum, Vec<TreeEdge>) {
        let mut edges = Vec::new();
        let mut at = to;
        while let Some(edge) = self.steps.get(&at).and_then(|step| step.edge) {
            edges.push(edge);
            at = if edge.to == at { edge.from } else { edge.to };
            if edges.len() > 16 {
                break;
            }
        }
        edges.reverse();
        (at, edges)
    }

    /// The anchor, and the links from it to `to`.
    pub fn links(&self, tree: &TreeIndex, to: EntityNum) -> (EntityNum, Vec<CausalChainLink>) {
        let (anchor, edges) = self.way(to);
        let mut at = anchor;
        let mut links = Vec::new();
        for edge in edges {
            let next = if edge.from == at { edge.to } else { edge.from };
            let (Some(from), Some(to)) = (tree.entity(at), tree.entity(next)) else { continue };
            let caller = tree.entity(edge.from).map_or("", |entity| entity.path);
            let verb = if edge.from == at { edge.kind.as_str() } else { "is called by" };
            let sure = if edge.is_unsure() { ", by its name alone" } else { "" };
            links.push(CausalChainLink {
                evidence: format!("{} {verb} {} ({caller}:{}{sure})", from.qualified, to.qualified, edge.line),
                from: entity_node(tree, &from),
                to: entity_node(tree, &to),
                relationship: CausalRelationship::of_edge(edge.kind),
                strength: edge.strength,
                against: edge.from != at,
                unsure: edge.is_unsure(),
            });
            at = next;
        }
        (anchor, links)
    }
}

/// Paths do not pass through tests or pages.
fn can_run(tree: &TreeIndex, entity: EntityNum) -> bool {
    tree.entity(entity).is_some_and(|entity| {
        (entity.file as usize) < tree.sources() && entity.kind != backstory_code::EntityKind::Test
    })
}

fn leads_on(kind: CodeEdgeKind) -> bool {
    matches!(
        kind,
        CodeEdgeKind::Calls
            | CodeEdgeKind::Reads
            | CodeEdgeKind::Writes
            | CodeEdgeKind::Uses
            | CodeEdgeKind::Inherits
            | CodeEdgeKind::Implements
            | CodeEdgeKind::Configures
    )
}
