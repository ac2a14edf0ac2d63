//! Which code entities does a name refer to?

use backstory_cause::locate::Codebase;
use backstory_cause::relevance::entities_named;
use backstory_cause::terms::Term;
use backstory_cause::tree::TreeEntity;

use crate::error::{AppError, ErrorKind};
use crate::terminal;

/// `add`, `Cart.add`, `cart.ts:Cart.add`, or a file.
pub fn named<'a>(codebase: &Codebase<'a>, asked: &str) -> Result<Vec<TreeEntity<'a>>, AppError> {
    let (file, name) = match asked.rsplit_once(':') {
        Some((file, name)) if !file.ends_with(':') => (file, name),
        _ => ("", asked),
    };
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let numbers = entities_named(codebase, name, last);
    let mut found: Vec<TreeEntity<'a>> =
        numbers.into_iter().filter_map(|number| codebase.tree.entity(number)).collect();
    let dotted = name.replace("::", ".").replace('#', ".");
    if dotted.contains('.') && found.iter().any(|entity| ends_in(entity.qualified, &dotted)) {
        found.retain(|entity| ends_in(entity.qualified, &dotted));
    }
    found.retain(|entity| entity.path.contains(file));
    if found.is_empty() {
        let files = codebase.tree.paths().ending_like(asked);
        let longest = files.iter().map(|file| file.1).max().unwrap_or(0);
        let wanted = asked.split('/').count();
        let meant = files.into_iter().filter(|file| file.1 == longest && file.1 == wanted);
        found = meant.filter_map(|(file, _)| codebase.tree.entity(codebase.tree.entities_of(file).start)).collect();
    }
    Ok(found)
}

fn ends_in(qualified: &str, name: &str) -> bool {
    qualified.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Suggests other names.
pub fn none_named(codebase: &Codebase<'_>, asked: &str) -> AppError {
    let files = terminal::count(codebase.tree.file_count() as u64, "file");
    let last = asked.rsplit(['.', ':', '#']).next().unwrap_or(asked);
    let like: Vec<String> = codebase
        .tree
        .named(Term::of_identifier(last))
        .filter_map(|number| codebase.tree.entity(number))
        .map(|entity| format!("{} ({})", entity.qualified, entity.kind.as_str()))
        .take(5)
        .collect();
    let hint = if like.is_empty() {
        "Name a function, a method (`Cart.add`) or a type; `FILE:NAME` is more specific.".to_owned()
    } else {
        format!("Similar names: {}.", like.join(", "))
    };
    AppError::new(ErrorKind::NotFound, format!("no function or type is named '{asked}' in {files}")).hint(hint)
}
