//! Users of the entities that a question names, and the entities that those use.

use backstory_code::CodeEdgeKind;

use super::super::analysis::QuestionIntent;
use super::super::chain::{CausalChainLink, CausalRelationship, NodeType, entity_node};
use super::{EXPLAINS, Gather, Way};
use crate::impact::{Affected, Impact, impact};
use crate::tree::{EntityNum, TreeEdge};

/// Users of users.
const STEPS: u32 = 2;
/// At most this many users, and this many tests, are compared; `backstory callers` lists all.
const USERS: usize = 40;
const TESTS: usize = 10;

impl Gather<'_, '_> {
    pub fn calls(&mut self) {
        let forwards = self.analysis.intent == QuestionIntent::WhatItCalls;
        for number in self.named().collect::<Vec<_>>() {
            let mut edges: Vec<TreeEdge> = match forwards {
                true => self.codebase.tree.edges_from(number).collect(),
                false => self.codebase.tree.edges_to(number).collect(),
            };
            edges.retain(|edge| matches!(edge.kind, CodeEdgeKind::Calls | CodeEdgeKind::Tests));
            edges.sort_by(|a, b| b.strength.total_cmp(&a.strength).then((a.from, a.to).cmp(&(b.from, b.to))));
            for edge in edges.into_iter().take(USERS) {
                self.add_call(number, edge, forwards);
            }
        }
    }

    fn add_call(&mut self, number: EntityNum, edge: TreeEdge, forwards: bool) {
        let tree = self.codebase.tree;
        let other = if forwards { edge.to } else { edge.from };
        let (Some(asked), Some(entity)) = (tree.entity(number), tree.entity(other)) else { return };
        let (caller, callee) = if forwards { (&asked, &entity) } else { (&entity, &asked) };
        let place = format!("{}:{}{}", caller.path, edge.line, doubt(edge.is_unsure()));
        let mut link = CausalChainLink {
            from: entity_node(tree, &asked),
            to: entity_node(tree, &entity),
            relationship: CausalRelationship::Calls,
            strength: edge.strength,
            evidence: format!("{} calls {} ({place})", caller.qualified, callee.qualified),
            against: !forwards,
            unsure: edge.is_unsure(),
        };
        link.to.kind = NodeType::Document;
        let tie = edge.strength * if self.is_source(&entity) { 1.0 } else { 0.7 };
        let anchor = self.anchor_link(&asked, 1.0);
        self.add_entity(&entity, tie, Way::Graph, vec![anchor, link]);
        if !forwards {
            self.say(&entity, "", Some(edge.line));
        }
    }

    /// The entities affected by a change to the named ones.
    pub fn affected(&mut self) {
        let named: Vec<EntityNum> = self.named().collect();
        let found = impact(self.codebase, &named, STEPS, self.root);
        for user in found.users.iter().take(USERS).chain(found.tests.iter().take(TESTS)) {
            let Some(entity) = self.codebase.tree.entity(user.entity) else { continue };
            let chain = self.way_to(&found, user);
            let near = user.strength / user.depth as f32;
            let tie = if self.is_source(&entity) { near } else { EXPLAINS * near };
            self.add_entity(&entity, tie, Way::Graph, chain);
            self.say(&entity, "", Some(user.edge.line));
        }
    }

    /// The path from the named entity to the user.
    fn way_to(&self, found: &Impact<'_>, user: &Affected) -> Vec<CausalChainLink> {
        let mut steps = vec![user];
        while let Some(between) = steps
            .last()
            .filter(|step| step.depth > 1)
            .and_then(|step| found.users.iter().chain(&found.tests).find(|other| other.entity == step.edge.to))
            .filter(|between| steps.iter().all(|step| step.entity != between.entity))
        {
            steps.push(between);
        }
        let tree = self.codebase.tree;
        let mut links: Vec<CausalChainLink> = Vec::new();
        for step in steps.iter().rev() {
            let (Some(from), Some(to)) = (tree.entity(step.edge.to), tree.entity(step.entity)) else { continue };
            if links.is_empty() {
                links.push(self.anchor_link(&from, 1.0));
            }
            let place = format!("{}:{}{}", to.path, step.edge.line, doubt(step.edge.is_unsure()));
            links.push(CausalChainLink {
                from: entity_node(tree, &from),
                to: entity_node(tree, &to),
                relationship: CausalRelationship::of_edge(step.edge.kind),
                strength: step.edge.strength,
                evidence: format!("{} {} {} ({place})", to.qualified, step.edge.kind.as_str(), from.qualified),
                against: true,
                unsure: step.edge.is_unsure(),
            });
        }
        if let Some(last) = links.last_mut() {
            last.to.kind = NodeType::Document;
        }
        links
    }
}

fn doubt(unsure: bool) -> &'static str {
    if unsure { ", by its name alone" } else { "" }
}
