//! Who uses what the question names, and what that uses.

use backstory_code::EdgeKind;

use super::super::analysis::Intent;
use super::super::chain::{CausalChainLink, CausalRelationship, NodeType, entity_node};
use super::{BY_WORDS, EXPLAINS, Gather, Way};
use crate::impact::impact;
use crate::tree::EntityNum;

/// Users of users.
const STEPS: u32 = 2;

impl Gather<'_, '_> {
    pub fn calls(&mut self) {
        let forwards = self.analysis.intent == Intent::WhatItCalls;
        for number in self.named().collect::<Vec<_>>() {
            let Some(asked) = self.place.tree.entity(number) else { continue };
            let edges: Vec<_> = match forwards {
                true => self.place.tree.edges_from(number).collect(),
                false => self.place.tree.edges_to(number).collect(),
            };
            for edge in edges.into_iter().filter(|edge| matches!(edge.kind, EdgeKind::Calls | EdgeKind::Tests)) {
                let other = if forwards { edge.to } else { edge.from };
                let Some(entity) = self.place.tree.entity(other) else { continue };
                let anchor = self.anchor_link(&asked, 1.0);
                let (caller, callee) = if forwards { (&asked, &entity) } else { (&entity, &asked) };
                let sure = if edge.is_unsure() { ", by its name alone" } else { "" };
                let evidence =
                    format!("{} calls {} ({}:{}{sure})", caller.qualified, callee.qualified, caller.path, edge.line);
                let mut link = CausalChainLink {
                    from: entity_node(&asked),
                    to: entity_node(&entity),
                    relationship: CausalRelationship::Calls,
                    strength: edge.strength,
                    evidence,
                    against: !forwards,
                };
                link.to.kind = NodeType::Document;
                let tie = edge.strength * if self.is_source(&entity) { 1.0 } else { 0.7 };
                self.add_entity(&entity, tie, Way::Graph, vec![anchor, link]);
                if !forwards {
                    self.say(&entity, "", Some(edge.line));
                }
            }
        }
    }

    /// Who would notice if what the question names were changed.
    pub fn affected(&mut self) {
        let named: Vec<EntityNum> = self.named().collect();
        let found = impact(self.place, &named, STEPS);
        let Some(asked) = found.of.first().copied() else { return };
        for user in found.users.iter().chain(&found.tests).take(BY_WORDS) {
            let Some(entity) = self.place.tree.entity(user.entity) else { continue };
            let through = self.place.tree.entity(user.edge.to).map_or(asked.qualified, |entity| entity.qualified);
            let sure = if user.unsure { ", by its name alone" } else { "" };
            let place = format!("{}:{}{sure}", entity.path, user.edge.line);
            let mut link = CausalChainLink {
                from: entity_node(&asked),
                to: entity_node(&entity),
                relationship: CausalRelationship::of_edge(user.edge.kind),
                strength: user.strength,
                evidence: format!("{} {} {through} ({place})", entity.qualified, user.edge.kind.as_str()),
                against: true,
            };
            link.to.kind = NodeType::Document;
            let anchor = self.anchor_link(&asked, 1.0);
            let near = user.strength / user.depth as f32;
            let tie = if self.is_source(&entity) { near } else { EXPLAINS * near };
            self.add_entity(&entity, tie, Way::Graph, vec![anchor, link]);
            self.say(&entity, "", Some(user.edge.line));
        }
    }
}
