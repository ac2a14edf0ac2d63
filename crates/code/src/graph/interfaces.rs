//! In Go a type implements an interface if it has its methods; nothing declares it.

use crate::lang::Family;
use crate::model::*;

use super::index::{Global, Symbol};
use super::types::Resolver;

/// An interface that more types fit requires too little to be evidence.
const MOST_TYPES: usize = 24;

impl Resolver<'_> {
    /// Finds the types that fit each interface, and records them as derived from it.
    pub fn fit_interfaces(&mut self) {
        for file in 0..self.index.files.len() as u32 {
            if self.index.family(file) != Some(Family::Go) {
                continue;
            }
            for (number, entity) in self.index.files[file as usize].entities.iter().enumerate() {
                if entity.is_interface {
                    self.fit_interface(self.index.global(file, EntityId(number as u32)));
                }
            }
        }
    }

    fn fit_interface(&mut self, interface: Global) {
        let wanted = self.methods_asked(interface);
        // Start from the rarest method: it leaves the fewest types to check.
        let rarest = wanted.iter().min_by_key(|symbol| self.index.by_name.get(*symbol).map_or(0, Vec::len));
        let Some(rarest) = rarest else { return };
        let having = self.index.by_name.get(rarest).cloned().unwrap_or_default();
        let mut types: Vec<Global> = having.into_iter().filter_map(|method| self.owner_of(method)).collect();
        types.sort_unstable();
        types.dedup();
        types.retain(|class| {
            let entity = self.index.entity(*class);
            entity.kind == EntityKind::Type && !entity.is_interface
        });
        types.retain(|class| wanted.iter().all(|symbol| !self.members_here(*class, *symbol).is_empty()));
        if types.len() > MOST_TYPES {
            return;
        }
        for class in types {
            self.derived.entry(interface).or_default().push(class);
            self.fitting.push((class, interface));
        }
    }

    /// The methods of an interface and of the interfaces that it embeds.
    fn methods_asked(&self, interface: Global) -> Vec<Symbol> {
        let mut wanted = Vec::new();
        for part in self.lineage(interface) {
            let at = self.index.entity_ref(part);
            let file = self.index.files[at.file as usize];
            for (number, entity) in file.entities.iter().enumerate() {
                if entity.parent == Some(at.entity) && entity.kind == EntityKind::Method {
                    let method = self.index.global(at.file, EntityId(number as u32));
                    wanted.push(self.index.symbol_of[method as usize]);
                }
            }
        }
        wanted
    }

    /// Members of a type or of the types that it embeds.
    fn members_here(&self, class: Global, symbol: Symbol) -> Vec<Global> {
        let line = self.lineage(class);
        line.into_iter().flat_map(|class| self.index.children(class, symbol).iter().copied()).collect()
    }
}
