//! Our entries in a host's JSON file.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;

use super::entries::{self, Flavour, NAME, Program, own_hook};
use super::splice::{self, Container, Json};
use super::{Edited, Registered, SettingsDamage};

/// The root object, if it was created.
const ROOT: &str = "$";
const SERVERS: &str = "mcpServers";
const HOOKS: &str = "hooks";

/// Adds the server, or updates an existing entry to name this program.
pub fn add_server(text: &str, program: &Program) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    edited.ensure_root();
    let text = edited.text.clone();
    let root = root(&text)?;
    let Some(servers) = object_at(&text, &root, SERVERS)? else {
        let value = Json::Object(vec![(NAME.to_owned(), entries::server(program))]);
        edited.text = splice::insert(&text, &Container::from(&root), Some(SERVERS), &value);
        edited.created.push(SERVERS.to_owned());
        edited.added.push(server_label());
        return Ok(edited);
    };
    match splice::property(servers, NAME) {
        None => {
            edited.text = splice::insert(&text, &Container::from(servers), Some(NAME), &entries::server(program));
            edited.added.push(server_label());
        }
        Some(there) => match own_server(there) {
            Some(named) if named == program.0 => {}
            Some(_) => {
                let command = there.as_object().and_then(|entry| splice::property(entry, "command"));
                if let Some(command) = command {
                    edited.text = splice::replace(&text, command.range(), &splice::quoted(&program.0));
                    edited.updated.push(server_label());
                }
            }
            None => edited.notes.push(format!("a server named `{NAME}` is there already and is left as it is")),
        },
    }
    Ok(edited)
}

fn server_label() -> String {
    format!("MCP server `{NAME}`")
}

/// Adds the hooks, or updates existing ones to name this program.
pub fn add_hooks(text: &str, program: &Program, flavour: Flavour) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    edited.ensure_root();
    for event in entries::events(flavour) {
        let text = edited.text.clone();
        let root = root(&text)?;
        let group = event.group(program, flavour);
        let in_event = format!("{HOOKS}/{}", event.name);
        let Some(hooks) = object_at(&text, &root, HOOKS)? else {
            let value = Json::Object(vec![(event.name.to_owned(), Json::List(vec![group]))]);
            edited.text = splice::insert(&text, &Container::from(&root), Some(HOOKS), &value);
            edited.created.extend([HOOKS.to_owned(), in_event]);
            edited.added.push(event.name.to_owned());
            continue;
        };
        let Some(groups) = list_at(&text, hooks, event.name)? else {
            let value = Json::List(vec![group]);
            edited.text = splice::insert(&text, &Container::from(hooks), Some(event.name), &value);
            edited.created.push(in_event);
            edited.added.push(event.name.to_owned());
            continue;
        };
        let wanted = event.command(program, flavour);
        match commands(groups).find(|found| own_hook(found.command).is_some()) {
            None => {
                edited.text = splice::insert(&text, &Container::from(groups), None, &group);
                edited.added.push(event.name.to_owned());
            }
            Some(found) if found.command != wanted => {
                edited.text = splice::replace(&text, found.range, &splice::quoted(&wanted));
                edited.updated.push(event.name.to_owned());
            }
            Some(_) => {}
        }
        edited.drop_repeated(event.name)?;
    }
    Ok(edited)
}

/// Removes our server.
pub fn remove_server(text: &str, created: Option<&[String]>) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    let Some(Value::Object(root)) = splice::parse(text)? else { return Ok(edited) };
    let Some(servers) = object_at(text, &root, SERVERS)? else { return Ok(edited) };
    let place = splice::place_of(servers, NAME).filter(|place| own_server(&servers.properties[*place].value).is_some());
    if let Some(place) = place {
        edited.text = splice::remove(text, &Container::from(servers), place);
        edited.removed.push(server_label());
        edited.prune(&[SERVERS], created)?;
    }
    Ok(edited)
}

/// Removes all our hooks.
pub fn remove_hooks(text: &str, created: Option<&[String]>) -> Result<Edited, SettingsDamage> {
    let mut edited = Edited::new(text);
    while edited.remove_one_hook(created)? {}
    Ok(edited)
}

/// Our entries in the file.
pub fn registered(text: &str) -> Result<Vec<Registered>, SettingsDamage> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = root(text)?;
    let mut all = Vec::new();
    let server = object_at(text, &root, SERVERS)?.and_then(|servers| splice::property(servers, NAME));
    if let Some(program) = server.and_then(own_server) {
        all.push(Registered { what: "mcp".to_owned(), command: program.clone(), program });
    }
    for property in object_at(text, &root, HOOKS)?.into_iter().flat_map(|hooks| &hooks.properties) {
        let own = property.value.as_array().into_iter().flat_map(commands).filter_map(|found| {
            let (program, _) = own_hook(found.command)?;
            Some(Registered { what: property.name.as_str().to_owned(), command: found.command.to_owned(), program })
        });
        all.extend(own);
    }
    Ok(all)
}

/// Hosts parse strict JSON: they silently ignore a file with a comment or an extra comma.
pub fn strictly(text: &str) -> Result<(), SettingsDamage> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let wrong = |error: serde_json::Error| {
        // The message ends with the place.
        let told = error.to_string();
        let message = told.rsplit_once(" at line ").map_or(told.as_str(), |(told, _)| told).to_owned();
        SettingsDamage { line: error.line(), message }
    };
    serde_json::from_str::<serde::de::IgnoredAny>(text).map(|_| ()).map_err(wrong)
}

struct FoundCommand<'v> {
    group: usize,
    place: usize,
    /// The number of hooks in the group.
    of: usize,
    command: &'v str,
    range: jsonc_parser::common::Range,
}

/// The commands of all groups of one event. Other shapes are skipped.
fn commands<'v>(groups: &'v Array<'_>) -> impl Iterator<Item = FoundCommand<'v>> {
    groups.elements.iter().enumerate().flat_map(|(group, element)| {
        let hooks = element.as_object().and_then(|element| splice::property(element, "hooks"));
        let hooks = hooks.and_then(Value::as_array).map(|hooks| &hooks.elements);
        let of = hooks.map_or(0, Vec::len);
        hooks.into_iter().flatten().enumerate().filter_map(move |(place, hook)| {
            let command = splice::property(hook.as_object()?, "command")?.as_string_lit()?;
            Some(FoundCommand { group, place, of, command: &command.value, range: command.range })
        })
    })
}

/// The program of a server's entry, if it is ours.
fn own_server(entry: &Value<'_>) -> Option<String> {
    let entry = entry.as_object()?;
    let command = &splice::property(entry, "command")?.as_string_lit()?.value;
    let first = splice::property(entry, "args")?.as_array()?.elements.first()?.as_string_lit()?;
    (entries::is_backstory(command) && first.value == "mcp").then(|| command.to_string())
}

fn root(text: &str) -> Result<Object<'_>, SettingsDamage> {
    match splice::parse(text)? {
        Some(Value::Object(root)) => Ok(root),
        _ => Err(SettingsDamage { line: 1, message: "this is not an object".to_owned() }),
    }
}

fn object_at<'v, 'a>(text: &str, parent: &'v Object<'a>, name: &str) -> Result<Option<&'v Object<'a>>, SettingsDamage> {
    match splice::property(parent, name) {
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(other) => Err(wrong(text, other, name, "an object")),
        None => Ok(None),
    }
}

fn list_at<'v, 'a>(text: &str, parent: &'v Object<'a>, name: &str) -> Result<Option<&'v Array<'a>>, SettingsDamage> {
    match splice::property(parent, name) {
        Some(Value::Array(list)) => Ok(Some(list)),
        Some(other) => Err(wrong(text, other, name, "a list")),
        None => Ok(None),
    }
}

fn wrong(text: &str, value: &Value<'_>, name: &str, expected: &str) -> SettingsDamage {
    let line = splice::line_of(text, value.range().start);
    SettingsDamage { line, message: format!("`{name}` is not {expected}") }
}

impl Edited {
    /// An empty file gets an object after its blanks.
    fn ensure_root(&mut self) {
        if self.text.trim().is_empty() {
            self.text.push_str("{}\n");
            self.created.push(ROOT.to_owned());
        }
    }

    /// Keeps one hook of ours per event.
    fn drop_repeated(&mut self, event: &str) -> Result<(), SettingsDamage> {
        loop {
            let text = self.text.clone();
            let root = root(&text)?;
            let groups = object_at(&text, &root, HOOKS)?.and_then(|hooks| splice::property(hooks, event));
            let Some(groups) = groups.and_then(Value::as_array) else { return Ok(()) };
            let own: Vec<FoundCommand> = commands(groups).filter(|found| own_hook(found.command).is_some()).collect();
            let [_, .., last] = own.as_slice() else { return Ok(()) };
            self.text = without(&text, groups, last);
        }
    }

    fn remove_one_hook(&mut self, created: Option<&[String]>) -> Result<bool, SettingsDamage> {
        let text = self.text.clone();
        let Some(Value::Object(root)) = splice::parse(&text)? else { return Ok(false) };
        let Some(hooks) = object_at(&text, &root, HOOKS)? else { return Ok(false) };
        let lists = hooks.properties.iter().filter_map(|property| Some((property, property.value.as_array()?)));
        for (property, groups) in lists {
            if let Some(found) = commands(groups).find(|found| own_hook(found.command).is_some()) {
                let event = property.name.as_str().to_owned();
                self.text = without(&text, groups, &found);
                self.prune(&[HOOKS, &event], created)?;
                self.removed.push(event);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes empty containers that were created for our entries, innermost first. Without a record their creator is
    /// unknown.
    fn prune(&mut self, path: &[&str], created: Option<&[String]>) -> Result<(), SettingsDamage> {
        for depth in (1..=path.len()).rev() {
            let name = path[..depth].join("/");
            if created.is_some_and(|created| !created.contains(&name)) {
                return Ok(());
            }
            let text = self.text.clone();
            let root = root(&text)?;
            let mut parent = &root;
            for step in &path[..depth - 1] {
                let Some(inner) = object_at(&text, parent, step)? else { return Ok(()) };
                parent = inner;
            }
            let Some(place) = splice::place_of(parent, path[depth - 1]) else { return Ok(()) };
            let is_empty = match &parent.properties[place].value {
                Value::Object(object) => Container::from(object).is_empty(),
                Value::Array(array) => Container::from(array).is_empty(),
                _ => false,
            };
            if !is_empty {
                return Ok(());
            }
            self.text = splice::remove(&text, &Container::from(parent), place);
        }
        self.drop_root(created)
    }

    fn drop_root(&mut self, created: Option<&[String]>) -> Result<(), SettingsDamage> {
        let root = root(&self.text)?;
        let (start, is_empty) = (root.range.start, Container::from(&root).is_empty());
        if is_empty && created.is_some_and(|created| created.iter().any(|name| name == ROOT)) {
            self.text.truncate(start);
        }
        Ok(())
    }
}

/// Removes one hook, and its group if it was alone there.
fn without(text: &str, groups: &Array<'_>, found: &FoundCommand<'_>) -> String {
    let inner = groups.elements[found.group].as_object().and_then(|group| splice::property(group, "hooks"));
    match inner.and_then(Value::as_array) {
        Some(hooks) if found.of > 1 => splice::remove(text, &Container::from(hooks), found.place),
        _ => splice::remove(text, &Container::from(groups), found.group),
    }
}
