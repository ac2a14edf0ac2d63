//! What is an expression's value, and which members does it have?

use crate::lang::Language;
use crate::model::*;

use super::index::{EntityIndex, Global, Symbol};
use super::modules::Modules;
use crate::hash::FastMap;

/// An expression of a file.
pub type Place = (u32, ExprId);

/// The meaning of a name or expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing is known: it may be anything.
    Unknown,
    /// Something outside the repository, with its type argument.
    External(Option<Place>),
    /// The result of unwrapping an external type: possibly the value it holds.
    Opened(Place),
    /// A file or a module inside it.
    Module(Global),
    /// The package that a file belongs to.
    Package(u32),
    /// A type itself.
    Type(Global),
    /// A value of a type, with its type argument.
    Value(Global, Option<Place>),
    /// The bases of a type, seen from it.
    Super(Global),
    /// Several values, and where they are written.
    Tuple(Place),
    Function(Global),
    /// A field, constant or variable.
    Variable(Global),
}

impl Meaning {
    /// The meaning of a name that several entities share: types before functions before data.
    pub fn of_kinds(found: &[(Global, EntityKind)]) -> Meaning {
        let first = |wanted: &dyn Fn(EntityKind) -> bool| {
            found.iter().find(|(_, kind)| wanted(*kind)).map(|(entity, _)| *entity)
        };
        if let Some(class) = first(&|kind| kind == EntityKind::Type) {
            return Meaning::Type(class);
        }
        if let Some(function) = first(&EntityKind::is_callable) {
            return Meaning::Function(function);
        }
        if let Some(module) = first(&|kind| kind == EntityKind::Module) {
            return Meaning::Module(module);
        }
        first(&|kind| matches!(kind, EntityKind::Constant | EntityKind::Field))
            .map_or(Meaning::Unknown, Meaning::Variable)
    }
}

#[derive(Clone, Copy)]
enum Memo {
    Open,
    Done(Meaning),
}

pub struct Resolver<'a> {
    pub index: EntityIndex<'a>,
    pub modules: Modules<'a>,
    pub imports_by_alias: FastMap<(Global, Symbol), Vec<u32>>,
    pub wildcards: FastMap<Global, Vec<u32>>,
    pub import_memo: FastMap<(u32, u32), Meaning>,
    pub module_memo: FastMap<(u32, u32), Meaning>,
    /// Bases of each type, in the order written.
    pub bases: FastMap<Global, Vec<Global>>,
    /// Types that also have bases outside the repository, or bases that were not found.
    pub open_types: FastMap<Global, ()>,
    /// Types by the type that they extend.
    pub derived: FastMap<Global, Vec<Global>>,
    /// Types and the interfaces whose methods they have.
    pub fitting: Vec<(Global, Global)>,
    /// The type to which a block elsewhere attaches an entity.
    owners: FastMap<Global, Global>,
    /// Types that got members this way: `type Chain []Handler` with receivers of its own.
    owning: FastMap<Global, ()>,
    /// Types whose construction runs an inherited constructor: a call refers to them as well.
    pub also_run: Vec<Global>,
    memo: FastMap<Place, Memo>,
    pub depth: u32,
}

/// Deeper evaluation is abandoned: values that far away are guesses.
pub const DEEPEST: u32 = 48;

impl<'a> Resolver<'a> {
    pub fn new(index: EntityIndex<'a>) -> Resolver<'a> {
        let modules = Modules::new(&index);
        let mut resolver = Resolver {
            index,
            modules,
            imports_by_alias: FastMap::default(),
            wildcards: FastMap::default(),
            import_memo: FastMap::default(),
            module_memo: FastMap::default(),
            also_run: Vec::new(),
            bases: FastMap::default(),
            open_types: FastMap::default(),
            derived: FastMap::default(),
            fitting: Vec::new(),
            owners: FastMap::default(),
            owning: FastMap::default(),
            memo: FastMap::default(),
            depth: 0,
        };
        resolver.read_imports();
        resolver.place_owned();
        resolver.memo.clear();
        resolver.read_bases();
        resolver.fit_interfaces();
        resolver.memo.clear();
        resolver
    }

    fn read_imports(&mut self) {
        for file in 0..self.index.files.len() as u32 {
            let parsed = self.index.files[file as usize];
            for (number, import) in parsed.imports.iter().enumerate() {
                let scope = self.index.global(file, import.scope);
                if import.wildcard {
                    self.wildcards.entry(scope).or_default().push(number as u32);
                }
                let Some(alias) = &import.alias else { continue };
                // `import a.b` makes `a` known.
                let (head, tail) = alias.split_once('.').map_or((alias.as_str(), ""), |(head, tail)| (head, tail));
                let whole = tail.is_empty() || parsed.language != Some(Language::Python);
                let name = if whole { alias.as_str() } else { head };
                if let Some(symbol) = self.index.symbol(name) {
                    self.imports_by_alias.entry((scope, symbol)).or_default().push(number as u32);
                    if !whole {
                        let target = self.modules.python(&parsed.path, head);
                        let meaning = match target {
                            Some(target) => Meaning::Module(self.index.file_entity(target)),
                            None => Meaning::External(None),
                        };
                        self.import_memo.insert((file, number as u32), meaning);
                    }
                }
            }
        }
    }

    /// Attaches functions of `impl` blocks, receivers and prototypes to their types.
    fn place_owned(&mut self) {
        for file in 0..self.index.files.len() as u32 {
            let parsed = self.index.files[file as usize];
            for (number, entity) in parsed.entities.iter().enumerate() {
                let Some(owner) = entity.owner else { continue };
                let global = self.index.global(file, EntityId(number as u32));
                let class = match self.meaning(file, owner) {
                    Meaning::Type(class) | Meaning::Value(class, _) => class,
                    Meaning::Variable(entity) | Meaning::Function(entity) => entity,
                    _ => continue,
                };
                let symbol = self.index.symbol_of[global as usize];
                self.index.children.entry((class, symbol)).or_default().push(global);
                self.owners.insert(global, class);
                self.owning.insert(class, ());
            }
        }
    }

    fn read_bases(&mut self) {
        for file in 0..self.index.files.len() as u32 {
            let parsed = self.index.files[file as usize];
            for reference in &parsed.references {
                if !matches!(reference.kind, ReferenceKind::Inherit | ReferenceKind::Implement) {
                    continue;
                }
                let class = match reference.argument_types.first() {
                    Some(owner) => match self.meaning(file, *owner) {
                        Meaning::Type(class) => class,
                        _ => continue,
                    },
                    None => self.index.global(file, reference.from),
                };
                match self.base_of(file, class, reference) {
                    Some(base) if base != class => {
                        let bases = self.bases.entry(class).or_default();
                        if !bases.contains(&base) {
                            bases.push(base);
                            self.derived.entry(base).or_default().push(class);
                        }
                    }
                    _ => {
                        self.open_types.insert(class, ());
                    }
                }
            }
        }
    }

    /// The type that a reference to a base means.
    pub fn base_of(&mut self, file: u32, class: Global, reference: &Reference) -> Option<Global> {
        let symbol = self.index.symbol_in(file, reference.name);
        let meaning = match reference.receiver {
            Some(receiver) => {
                let of = self.meaning(file, receiver);
                self.member_of(of, symbol, file)
            }
            None => {
                // Looked up from outside: a class does not extend its own member.
                let scope = match reference.argument_types.is_empty() {
                    true => self.index.parent(class).unwrap_or(class),
                    false => self.index.global(file, reference.from),
                };
                self.lookup(file, scope, symbol)
            }
        };
        match self.settled(meaning) {
            Meaning::Type(base) => Some(base),
            // `Base = make_base()` and the like.
            Meaning::Value(base, _) => Some(base),
            _ => None,
        }
    }

    pub fn owner_of(&self, entity: Global) -> Option<Global> {
        self.owners.get(&entity).copied()
    }

    /// The type that a function is a member of.
    pub fn type_around(&self, entity: Global) -> Option<Global> {
        self.owner_of(entity).or_else(|| self.index.enclosing_type(self.index.parent(entity)?))
    }

    /// The meaning of an expression.
    pub fn meaning(&mut self, file: u32, expr: ExprId) -> Meaning {
        if expr == ExprId::UNKNOWN {
            return Meaning::Unknown;
        }
        match self.memo.get(&(file, expr)) {
            Some(Memo::Done(meaning)) => return *meaning,
            // A value that depends on itself.
            Some(Memo::Open) => return Meaning::Unknown,
            None => {}
        }
        if self.depth > DEEPEST {
            return Meaning::Unknown;
        }
        self.depth += 1;
        self.memo.insert((file, expr), Memo::Open);
        let meaning = self.evaluate(file, expr);
        self.memo.insert((file, expr), Memo::Done(meaning));
        self.depth -= 1;
        meaning
    }

    fn evaluate(&mut self, file: u32, expr: ExprId) -> Meaning {
        match self.index.files[file as usize].expr(expr) {
            Expr::Unknown => Meaning::Unknown,
            Expr::Literal(_) => Meaning::External(None),
            Expr::Name { name, scope } => self.name_meaning(file, name, self.index.global(file, scope)),
            Expr::Entity(entity) => Meaning::Type(self.index.global(file, entity)),
            Expr::Super(scope) => {
                let scope = self.index.global(file, scope);
                match self.index.enclosing_type(scope) {
                    Some(class) => Meaning::Super(class),
                    None => self.modules_super(file, scope).unwrap_or(Meaning::Unknown),
                }
            }
            Expr::Member { of, name } => self.member_meaning(file, of, name),
            Expr::Call { callee } => {
                let callee = self.meaning(file, callee);
                self.result_of(callee)
            }
            Expr::Instance { class, argument } => self.instance_meaning(file, class, argument),
            Expr::Element(of) => {
                let of = self.meaning(file, of);
                self.element_of(of, file)
            }
            Expr::Tuple { .. } => Meaning::Tuple((file, expr)),
            Expr::Part { of, index } => {
                let of = self.meaning(file, of);
                self.part_of(of, index, file)
            }
        }
    }

    fn name_meaning(&mut self, file: u32, name: NameId, scope: Global) -> Meaning {
        let symbol = self.index.symbol_in(file, name);
        match self.lookup(file, scope, symbol) {
            Meaning::External(_) | Meaning::Unknown if self.index.language(file) == Some(Language::Rust) => {
                let text = self.index.files[file as usize].name(name);
                self.rust_root(file, scope, text).unwrap_or(Meaning::External(None))
            }
            meaning => meaning,
        }
    }

    fn member_meaning(&mut self, file: u32, of: ExprId, name: NameId) -> Meaning {
        let symbol = self.index.symbol_in(file, name);
        let of = self.meaning(file, of);
        match self.member_of(of, symbol, file) {
            Meaning::Unknown if self.index.language(file) == Some(Language::Rust) => {
                let text = self.index.files[file as usize].name(name);
                match of {
                    Meaning::Module(_) => self.rust_step(of, text),
                    _ => Meaning::Unknown,
                }
            }
            meaning => meaning,
        }
    }

    fn instance_meaning(&mut self, file: u32, class: ExprId, argument: ExprId) -> Meaning {
        let argument = (argument != ExprId::UNKNOWN).then_some((file, argument));
        let class = self.meaning(file, class);
        match self.settled(class) {
            Meaning::Type(class) => self.instance_of(class, argument),
            Meaning::Value(class, known) => Meaning::Value(class, argument.or(known)),
            _ => Meaning::External(argument),
        }
    }

    fn modules_super(&mut self, file: u32, scope: Global) -> Option<Meaning> {
        match self.index.language(file) {
            Some(Language::Rust) => self.rust_root(file, scope, "super"),
            _ => None,
        }
    }

    /// A value of a type; an alias is resolved to its target.
    fn instance_of(&mut self, class: Global, argument: Option<Place>) -> Meaning {
        let entity = self.index.entity(class);
        if entity.value != ExprId::UNKNOWN {
            let file = self.index.file_of[class as usize];
            let meaning = self.meaning(file, entity.value);
            if let Meaning::Value(..) = meaning
                && !self.owning.contains_key(&class)
            {
                return meaning;
            }
        }
        Meaning::Value(class, argument)
    }

    fn part_of(&mut self, of: Meaning, index: u16, file: u32) -> Meaning {
        match of {
            Meaning::Tuple((home, mut at)) => {
                for _ in 0..index {
                    match self.index.files[home as usize].expr(at) {
                        Expr::Tuple { rest, .. } => at = rest,
                        _ => return Meaning::Unknown,
                    }
                }
                match self.index.files[home as usize].expr(at) {
                    Expr::Tuple { first, .. } => self.meaning(home, first),
                    _ => Meaning::Unknown,
                }
            }
            // `item, ok := items[0]`: the first is the value itself.
            of if index == 0 && self.index.language(file) == Some(Language::Go) => of,
            // An element of a list of tuples is a tuple.
            Meaning::Opened((home, held)) => match self.meaning(home, held) {
                tuple @ Meaning::Tuple(_) => self.part_of(tuple, index, file),
                _ => Meaning::External(None),
            },
            Meaning::External(_) => Meaning::External(None),
            _ => Meaning::Unknown,
        }
    }

    fn element_of(&mut self, of: Meaning, file: u32) -> Meaning {
        match of {
            Meaning::Value(_, Some((file, argument))) | Meaning::External(Some((file, argument))) => {
                match self.meaning(file, argument) {
                    Meaning::External(Some(inner)) => Meaning::Opened(inner),
                    meaning => meaning,
                }
            }
            Meaning::Opened(place) => Meaning::Opened(place),
            // Array and pointer types were stripped when the type was parsed.
            Meaning::Value(class, None) => match self.index.language(file) {
                Some(Language::Python | Language::Ruby | Language::Php) => Meaning::Unknown,
                _ => Meaning::Value(class, None),
            },
            Meaning::External(None) => Meaning::External(None),
            Meaning::Variable(variable) => {
                let value = self.settled(Meaning::Variable(variable));
                if value == Meaning::Variable(variable) { Meaning::Unknown } else { self.element_of(value, file) }
            }
            _ => Meaning::Unknown,
        }
    }

    /// The result of a call.
    fn result_of(&mut self, callee: Meaning) -> Meaning {
        match callee {
            Meaning::Type(class) => Meaning::Value(class, None),
            Meaning::Function(function) => {
                let file = self.index.file_of[function as usize];
                let entity = self.index.entity(function);
                if entity.is_constructor
                    && let Some(class) = self.type_around(function)
                {
                    return Meaning::Value(class, None);
                }
                let result = self.meaning(file, entity.value);
                self.settled(result)
            }
            Meaning::External(Some(place)) => Meaning::Opened(place),
            Meaning::External(None) => Meaning::External(None),
            Meaning::Opened(place) => Meaning::Opened(place),
            Meaning::Variable(variable) => match self.settled(Meaning::Variable(variable)) {
                Meaning::Variable(_) => Meaning::Unknown,
                settled => self.result_of(settled),
            },
            _ => Meaning::Unknown,
        }
    }

    /// Resolves a variable to its value, as far as that is known.
    pub fn settled(&mut self, meaning: Meaning) -> Meaning {
        let Meaning::Variable(variable) = meaning else { return meaning };
        let file = self.index.file_of[variable as usize];
        match self.meaning(file, self.index.entity(variable).value) {
            Meaning::Unknown => meaning,
            Meaning::Variable(other) if other != variable => {
                if self.depth > DEEPEST {
                    return Meaning::Unknown;
                }
                self.depth += 1;
                let settled = self.settled(Meaning::Variable(other));
                self.depth -= 1;
                settled
            }
            value => value,
        }
    }
}
