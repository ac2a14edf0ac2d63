//! Finds the value of a name in many notations.

use std::ops::Range;

use super::entropy::looks_random;
use super::names::{Name, NameFamily};
use super::text::{
    byte_before, contains, contains_any_case, is_blank, is_quote, is_token_byte, run_end, run_end_within, run_start,
    starts_with, starts_with_any_case, text_before,
};
use super::words::{is_known, is_phrase};

/// The notation of a value, which determines how far its text is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A quoted string assigned to the name.
    Quoted,
    /// A quoted string passed to a call: `token = decode("…")`, `setToken("…")`; or the next in a list: `set("token",
    /// "…")`.
    Argument,
    /// Only literal text is possible: environment, flag, URL query, XML.
    Plain,
    /// Unquoted, but the only value of its name, as in settings: `password: …`, `password=…`.
    Setting,
    /// Unquoted; may also be code.
    Bare,
    /// In a table column, or after its name if a user is named before it.
    Column,
    /// In a sentence: `the password is …`.
    Said,
}

#[derive(Debug)]
pub(super) struct AssignedValue {
    pub(super) range: Range<usize>,
    pub(super) style: Style,
}

/// Quotes of more than one byte, with their closing forms.
const WRITTEN_QUOTES: &[[&str; 2]] =
    &[["&quot;", "&quot;"], ["&#34;", "&#34;"], ["&#39;", "&#39;"], ["“", "”"], ["‘", "’"], ["%22", "%22"]];
/// The start of a terminal control sequence.
const ESCAPE: u8 = 0x1b;
const LONGEST_VALUE: usize = 4096;
const LONGEST_UNQUOTED: usize = 2048;
const LONGEST_BLANK: usize = 40;
const LONGEST_CALLEE: usize = 48;

/// The value that the text gives to `name`.
pub(super) fn value_of(text: &[u8], name: &Name) -> Option<AssignedValue> {
    let (after_name, is_quoted_name) = skip_closing_quote(text, name.end)?;
    let after_name = skip_colour(text, after_name);
    let after_name = skip_dimension(text, after_name);
    let sign = skip_blanks(text, after_name);
    let is_adjacent = sign == after_name;
    match text.get(sign)? {
        b'=' | b':' | b'!' | b'|' | b'?' => after_operator(text, name, sign, is_adjacent),
        b'(' if is_adjacent && !is_quoted_name => quoted_only(text, skip_blanks(text, sign + 1), Style::Argument),
        b',' if is_quoted_name => {
            let next = skip_blanks(text, sign + 1);
            let is_selector = matches!(byte_before(text, name.start), Some(b'#' | b'='));
            let style = if is_selector { Style::Column } else { Style::Argument };
            value_field(text, after_name).or_else(|| quoted_only(text, next, style))
        }
        b'\'' | b'"' if is_quoted_name && is_adjacent && text.get(sign + 1) == Some(&b',') => {
            quoted_only(text, skip_blanks(text, sign + 2), Style::Column)
        }
        b'%' if starts_with_any_case(text, sign, "%3d") => escaped(text, sign + 3),
        b'<' if starts_with(text, sign, b"</key>") => list_entry(text, sign + 6),
        b')' if is_quoted_name && is_adjacent => fallback(text, sign + 1).or_else(|| {
            let is_password = name.family == NameFamily::Password;
            is_password.then(|| typed(text, sign))?
        }),
        b')' | b']' if name.family == NameFamily::Password => typed(text, sign),
        b'.' if is_quoted_name && name.family == NameFamily::Password => typed(text, sign),
        0xEF if starts_with(text, sign, "：".as_bytes()) => {
            let start = skip_blanks(text, sign + "：".len());
            quoted(text, start).or_else(|| unquoted(text, start, Style::Column))
        }
        b'>' if byte_before(text, name.start) == Some(b'<') || is_quoted_name => element(text, sign + 1),
        b'{' if is_quoted_name => block_field(text, sign + 1),
        b'\\' if !is_adjacent && opens_quote(text, sign) => after_blank(text, name, sign, is_quoted_name),
        b'\n' | b'\r' | b'\\' => value_field(text, sign),
        _ if is_adjacent => None,
        _ => after_blank(text, name, sign, is_quoted_name),
    }
}

/// After `=`, `:`, `:=`, `=>`, `==`, `!=`, `||`, `??`.
fn after_operator(text: &[u8], name: &Name, sign: usize, is_adjacent: bool) -> Option<AssignedValue> {
    let end = run_end(text, sign, |byte| matches!(byte, b'=' | b':' | b'!' | b'|' | b'?' | b'>'));
    let operator = &text[sign..end];
    let end = skip_colour(text, end);
    let end = if starts_with(text, end, b"** ") { end + 2 } else { end };
    let start = skip_tag(text, skip_blanks(text, end));
    match operator {
        b"=" | b":" | b":=" | b"=>" | b"?=" | b":=>" => {}
        // A table: | password | … |
        b"|" if start > end && text_before(text, name.start, 80).contains(&b'{') => return None,
        b"|" if start > end => return quoted(text, start).or_else(|| unquoted(text, start, Style::Said)),
        b"|" => return None,
        b"==" | b"===" | b"!=" | b"!==" | b"||" | b"??" | b"||=" | b"??=" => {
            return quoted_only(text, start, Style::Quoted);
        }
        _ => return None,
    }
    if is_colon_joined(text, name, operator, start == end) {
        return None;
    }
    // A list of one: `"x-api-key": ["…"]`.
    let first = if text.get(start) == Some(&b'[') { skip_blanks(text, start + 1) } else { start };
    if let Some(value) = quoted(text, first) {
        return Some(value);
    }
    if text.get(start) == Some(&b'{') {
        return block_field(text, start + 1);
    }
    if let Some(phrase) = phrase(text, name, start) {
        return Some(phrase);
    }
    if operator == b":"
        && let Some(value) = after_type(text, start)
    {
        return Some(value);
    }
    let is_environment = operator == b"=" && is_adjacent && start == end && name.is_constant;
    let is_packed = operator == b"=" && matches!(byte_before(text, name.start), Some(b'?' | b'&' | b';'));
    let is_packed = is_packed || follows_escaped_ampersand(text, name.start);
    if is_environment {
        return environment(text, start);
    }
    if is_packed || name.is_flag {
        let is_list = byte_before(text, name.start) == Some(b';');
        let is_query = is_packed && !is_list;
        return match (is_list, is_query) {
            (true, _) => list_item(text, start),
            (_, true) => unquoted(text, start, Style::Plain),
            _ => environment(text, start),
        };
    }
    let is_tight = operator == b"=" && is_adjacent && start == end;
    let is_spaced = matches!(operator, b":" | b"=>") && start > end;
    argument(text, start).or_else(|| {
        let value = unquoted(text, after_bracket(text, start), Style::Bare)?;
        let is_listed = || is_tight && stands_in_list(text, name, value.range.end);
        let is_alone = is_tight && ends_argument(text, value.range.end)
            || is_spaced && ends_line(text, value.range.end)
            || is_listed();
        let is_alone = is_alone || operator == b":" && start == end && stands_in_dump(text, name, value.range.end);
        let is_alone = is_alone || operator != b":" && ends_line(text, value.range.end) && stands_in_ini(text, name);
        Some(AssignedValue { style: if is_alone { Style::Setting } else { Style::Bare }, ..value })
    })
}

/// The value of an environment variable: it may start with a hyphen and contain a lone `&`.
fn environment(text: &[u8], start: usize) -> Option<AssignedValue> {
    let first = unquoted(text, start, Style::Plain)?;
    let mut end = first.range.end;
    while text.get(end) == Some(&b'&') && text.get(end + 1).is_some_and(|&byte| is_token_byte(byte)) {
        let rest = run_end(text, end + 1, is_token_byte);
        if text.get(rest) == Some(&b'=') || rest - start > LONGEST_UNQUOTED {
            break;
        }
        end = unquoted(text, end + 1, Style::Plain)?.range.end;
    }
    Some(AssignedValue { range: start..end, style: Style::Plain })
}

/// A value in a list separated by `;`, in which `&` is an ordinary character.
fn list_item(text: &[u8], start: usize) -> Option<AssignedValue> {
    let value = unquoted(text, start, Style::Said)?;
    Some(AssignedValue { style: Style::Plain, ..value })
}

/// A phrase of words without quotes, up to the end of the line.
fn phrase(text: &[u8], name: &Name, start: usize) -> Option<AssignedValue> {
    if name.family != NameFamily::Password || !text.get(start).is_some_and(u8::is_ascii_lowercase) {
        return None;
    }
    let end = run_end_within(text, start, 160, |byte| byte.is_ascii_lowercase() || byte == b' ');
    let words = &text[start..end];
    let is_alone = ends_line(text, end) && !words.ends_with(b" ");
    let says_else = || words.split(|&byte| byte == b' ').any(is_known);
    (is_alone && is_phrase(words) && !says_else()).then_some(AssignedValue { range: start..end, style: Style::Quoted })
}

/// Whether the name starts a line below a `[section]`.
fn stands_in_ini(text: &[u8], name: &Name) -> bool {
    let before = text_before(text, name.start, 400);
    let is_blank_or_sign = |byte: &u8| is_blank(*byte) || matches!(byte, b'+' | b'-');
    let mut lines = before.rsplit(|&byte| byte == b'\n');
    let begins_line = lines.next().is_some_and(|line| line.iter().all(is_blank_or_sign));
    let is_section = |line: &[u8]| {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"+").unwrap_or(line);
        line.starts_with(b"[") && line.ends_with(b"]") && !line.contains(&b',')
    };
    begins_line && lines.any(is_section)
}

/// The second value of `"…" -> "…"`, as a plan shows a change.
pub(super) fn changed_to(text: &[u8], end: usize) -> Option<Range<usize>> {
    let quote = run_end(text, end, |byte| byte == b'\\');
    if !text.get(quote).is_some_and(|&byte| is_quote(byte)) {
        return None;
    }
    let arrow = skip_blanks(text, quote + 1);
    let start = skip_blanks(text, arrow + 2);
    (starts_with(text, arrow, b"->") && start > arrow + 2).then(|| quoted(text, start))?.map(|value| value.range)
}

/// Skips a terminal's colours.
fn skip_colour(text: &[u8], at: usize) -> usize {
    if text.get(at) != Some(&ESCAPE) || text.get(at + 1) != Some(&b'[') {
        return at;
    }
    let end = run_end_within(text, at + 2, 12, |byte| byte.is_ascii_digit() || byte == b';');
    if text.get(end) == Some(&b'm') { end + 1 } else { at }
}

/// A percent-encoded value: `password%3D…%26`.
fn escaped(text: &[u8], start: usize) -> Option<AssignedValue> {
    let end = run_end_within(text, start, LONGEST_UNQUOTED, |byte| is_token_byte(byte) || byte == b'.');
    (end > start).then_some(AssignedValue { range: start..end, style: Style::Plain })
}

/// The string after a key of a property list.
fn list_entry(text: &[u8], from: usize) -> Option<AssignedValue> {
    let start = skip_to_word(text, from);
    starts_with(text, start, b"<string>").then(|| element(text, start + 8))?
}

/// The text that a test types into a selected field: `get('[name=password]').type('…')`,
/// `onView(withId(R.id.password)).perform(typeText("…"))`.
fn typed(text: &[u8], from: usize) -> Option<AssignedValue> {
    const TYPING: &[&str] = &[
        "type", "fill", "sendkeys", "send_keys", "setvalue", "set", "settext", "replacetext", "entertext", "input",
        "val", "write", "paste", "addvalue", "clearandtype", "presssequentially", "with", "change",
    ];
    let call = run_end_within(text, from, 6, |byte| is_quote(byte) || matches!(byte, b')' | b']'));
    let is_part = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_');
    let open = run_end_within(text, call, 24, is_part);
    let is_call = text.get(call) == Some(&b'.') && text.get(open) == Some(&b'(');
    let is_nested = is_call && text[call..open].ends_with(b"perform");
    let (start, open) = if is_nested { (open + 1, run_end_within(text, open + 1, 24, is_part)) } else { (call, open) };
    let method = text[start..open].rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    let is_typing = TYPING.iter().any(|verb| starts_with_any_case(method, 0, verb));
    let value = (is_call && is_typing).then(|| quoted_only(text, open + 1, Style::Column))??;
    // `{enter}` is a key that the test presses.
    let end = run_end(&text[..value.range.end], value.range.start, |byte| byte != b'{');
    Some(AssignedValue { range: value.range.start..end, ..value })
}

/// The default of a variable: `fetch("DB_PASS") { "…" }`, `getenv("X") ?: "…"`.
fn fallback(text: &[u8], from: usize) -> Option<AssignedValue> {
    let sign = skip_blanks(text, from);
    let joint = ["{ ", "||", "??", "?:", "or "].iter().find(|joint| starts_with(text, sign, joint.as_bytes()))?;
    quoted(text, skip_blanks(text, sign + joint.len()))
}

/// Skips the size of an array of characters: `char auth[] = "…"`, `char token[64] = "…"`.
fn skip_dimension(text: &[u8], at: usize) -> usize {
    let end = run_end_within(text, at + 1, 5, |byte| byte.is_ascii_digit());
    let is_dimension = text.get(at) == Some(&b'[') && text.get(end) == Some(&b']');
    if is_dimension { end + 1 } else { at }
}

/// Skips a YAML tag that announces text.
fn skip_tag(text: &[u8], at: usize) -> usize {
    let tag = ["!unsafe ", "!!str ", "!str "].iter().find(|tag| starts_with(text, at, tag.as_bytes()));
    tag.map_or(at, |tag| skip_blanks(text, at + tag.len()))
}

/// Whether a line, or a string that contains one, ends at `at`; a comment may follow.
fn ends_line(text: &[u8], at: usize) -> bool {
    let next = skip_blanks(text, at);
    match text.get(next) {
        None | Some(b'\n' | b'\r') => true,
        Some(b'#') => next > at,
        Some(b'\\') => {
            let letter = run_end(text, next, |byte| byte == b'\\');
            text.get(letter).is_some_and(|&byte| matches!(byte, b'n' | b'r') || is_quote(byte))
        }
        Some(&byte) => is_quote(byte) && next == at,
    }
}

/// Whether the value ends before the next setting of a list: `user=a,password=b,c=d`, `{user=a, password=b}`. The
/// arguments of a call look the same.
fn stands_in_list(text: &[u8], name: &Name, end: usize) -> bool {
    let before = text_before(text, name.start, 120);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_listed = matches!(text.get(end), Some(b',' | b'}' | b')' | b']'));
    is_listed && line.contains(&b'=') && !line.contains(&b'(')
}

/// Whether the field is in a value as printed by programs: `{Host:db Password:…}`, `map[TOKEN:…]`.
fn stands_in_dump(text: &[u8], name: &Name, end: usize) -> bool {
    let before = text_before(text, name.start, 120);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_open = contains(line, b"map[") || contains(line, b"{");
    let begins = matches!(byte_before(text, name.start), Some(b' ' | b'[' | b'{'));
    is_open && begins && !line.contains(&b'"') && matches!(text.get(end), Some(b' ' | b']' | b'}'))
}

/// Skips the bracket around a value: `name=[value]`.
fn after_bracket(text: &[u8], start: usize) -> usize {
    let end = run_end_within(text, start + 1, LONGEST_VALUE, is_token_byte);
    let is_bracketed = text.get(start) == Some(&b'[') && text.get(end) == Some(&b']') && end > start + 8;
    if is_bracketed { start + 1 } else { start }
}

/// Whether a word of a command line or of a list of settings ends at `at`.
fn ends_argument(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|&byte| is_blank(byte)) || ends_line(text, at)
}

/// Whether the name is a part of `arn:aws:…:secret:name` or of `AWS::IAM::AccessKey`.
fn is_colon_joined(text: &[u8], name: &Name, operator: &[u8], is_tight: bool) -> bool {
    let before = &text[..name.start];
    before.ends_with(b"::") || before.ends_with(b":") && operator == b":" && is_tight
}

fn follows_escaped_ampersand(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"\\u0026") || text[..at].ends_with(b"&amp;")
}

/// After a name and blanks: a flag's value, a quoted password, a sentence.
fn after_blank(text: &[u8], name: &Name, start: usize, is_quoted_name: bool) -> Option<AssignedValue> {
    if name.is_flag {
        return quoted(text, start).or_else(|| flag_argument(text, start));
    }
    if is_quoted_name {
        return match text.get(start) {
            Some(b'{') => block_field(text, start + 1),
            _ => value_field(text, start),
        };
    }
    if is_directive(text, name) {
        return quoted(text, start).or_else(|| environment(text, start));
    }
    if let Some(value) = prompted(text, name, start) {
        return Some(value);
    }
    if name.family == NameFamily::Password && starts_with(text, start, b"**") {
        let end = run_end_within(text, start + 2, 128, |byte| {
            byte.is_ascii_graphic() && !is_quote(byte) && !matches!(byte, b'*' | b'\\')
        });
        return starts_with(text, end, b"**").then_some(AssignedValue { range: start + 2..end, style: Style::Column });
    }
    for verb in ["is ", "was ", "is: ", "to "] {
        if starts_with_any_case(text, start, verb) {
            let said = skip_blanks(text, start + verb.len());
            return quoted(text, said).or_else(|| unquoted(text, said, Style::Said));
        }
    }
    // SQL: CREATE USER … PASSWORD '…'; netrc: login … password …
    if name.family == NameFamily::Password && stands_in_netrc(text, name.start) {
        return quoted(text, start).or_else(|| unquoted(text, start, Style::Plain));
    }
    let takes_string = name.family == NameFamily::Password || byte_before(text, name.start) == Some(b':');
    let value = takes_string.then(|| quoted_only(text, start, Style::Quoted)).flatten();
    if value.is_none() && name.family == NameFamily::Password && stands_in_column(text, name, start) {
        return unquoted(text, start, Style::Column);
    }
    if value.is_none() && name.family == NameFamily::Password && follows_user(text, name) {
        return unquoted(text, start, Style::Said);
    }
    // aws_secret_access_key …: a compound name, which sentences do not contain.
    let is_compound = text[name.start..name.end].iter().any(|byte| matches!(byte, b'_' | b' '))
        || is_hump_name(&text[name.start..name.end]);
    value.or_else(|| is_compound.then(|| unquoted(text, start, Style::Said))?)
}

/// Whether a value at `start` is in the column beside its name.
fn stands_in_column(text: &[u8], name: &Name, start: usize) -> bool {
    let before = text_before(text, name.start, 80);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_tabbed = text[name.end..start].contains(&b'\t') || start - name.end >= 3;
    // `Keystore password   …`: a word or two may precede the name.
    let value_end = run_end_within(text, start, LONGEST_VALUE, |byte| byte.is_ascii_graphic());
    let is_label = start - name.end >= 3
        && ends_line(text, value_end)
        && line.len() <= 24
        && line.iter().all(|&byte| is_blank(byte) || byte.is_ascii_alphabetic() || byte == b'+');
    is_tabbed && (is_label || line.iter().all(|&byte| is_blank(byte) || matches!(byte, b'+' | b'-' | b'|')))
}

/// Whether a user is named earlier on the line: `user jan password …`.
fn follows_user(text: &[u8], name: &Name) -> bool {
    let before = text_before(text, name.start, 80);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    ["user ", "username ", "login ", "account ", ": "].iter().any(|word| contains_any_case(line, word))
}

fn is_hump_name(name: &[u8]) -> bool {
    name.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// The word after a flag. A plain word counts only if the rest looks like a command: in a sentence another word
/// follows.
fn flag_argument(text: &[u8], start: usize) -> Option<AssignedValue> {
    let value = environment(text, start)?;
    let is_word = text[value.range.clone()].iter().all(u8::is_ascii_alphabetic);
    let next = skip_blanks(text, value.range.end);
    let goes_on = ends_line(text, value.range.end)
        || text.get(next).is_none_or(|&byte| matches!(byte, b'-' | b'|' | b';' | b'&' | b'>' | b'<') || is_quote(byte));
    let style = if !is_word || goes_on { Style::Plain } else { Style::Said };
    Some(AssignedValue { style, ..value })
}

/// Whether a word before the name assigns it the value after it: `ENV NAME value`, `setx NAME value`, `config set name
/// value`.
fn is_directive(text: &[u8], name: &Name) -> bool {
    const DIRECTIVES: &[&str] = &[
        "ENV ", "ARG ", "setx ", "setenv ", "set -gx ", "set -x ", "set -Ux ", "set -Ugx ", "fig set ", "gure set ",
        "putenv ", "--secret ",
    ];
    const WORDS: &[&str] = &["requirepass", "masterauth", "bindpw", "rootpw", "storepass", "keypass"];
    let is_whole_word = |word: &&str| text[name.start..name.end].eq_ignore_ascii_case(word.as_bytes());
    // In `//host/:_authToken` only the end is the name.
    let line = text_before(text, name.start, 120);
    let word = line.iter().rposition(|&byte| is_blank(byte)).map_or(0, |blank| blank + 1);
    let is_after = |directive: &&str| line[..word].ends_with(directive.as_bytes());
    DIRECTIVES.iter().any(is_after) || WORDS.iter().any(is_whole_word)
}

/// The input typed at a prompt: `password for jan: …`.
fn prompted(text: &[u8], name: &Name, start: usize) -> Option<AssignedValue> {
    if name.family != NameFamily::Password || !starts_with_any_case(text, start, "for ") {
        return None;
    }
    let limit = text.len().min(start + 60);
    let line_end = run_end(&text[..limit], start, |byte| !matches!(byte, b'\n' | b'\\'));
    let words = &text[start..line_end];
    let colon = words.windows(2).position(|pair| pair[0] == b':' && is_blank(pair[1])).map(|at| at + 1);
    let verb = || words.windows(4).position(|four| four == b" is ").map(|at| at + 4);
    let said = skip_blanks(text, start + colon.or_else(verb)?);
    let value = unquoted(text, said, Style::Said)?;
    let style = if ends_line(text, value.range.end) { Style::Setting } else { Style::Said };
    Some(AssignedValue { style, ..value })
}

/// The value in the block of a name: `variable "db_password" { default = "…" }`.
fn block_field(text: &[u8], start: usize) -> Option<AssignedValue> {
    let limit = text.len().min(start + 240);
    let end = run_end(&text[..limit], start, |byte| byte != b'}');
    let field = (start..end).find(|&at| {
        let is_field = starts_with(text, at, b"default") || starts_with(text, at, b"value");
        is_field && (!is_token_byte(text[at - 1]) || super::text::ends_escape(text, at))
    })?;
    let name_end = run_end(text, field, is_token_byte);
    let (name_end, _) = skip_closing_quote(text, name_end)?;
    let sign = skip_blanks(text, name_end);
    matches!(text.get(sign), Some(b'=' | b':')).then(|| quoted(text, skip_blanks(text, sign + 1)))?
}

fn stands_in_netrc(text: &[u8], at: usize) -> bool {
    let before = text_before(text, at, 160);
    contains_any_case(before, "machine ") && contains_any_case(before, "login ")
}

/// Skips the quote that closes a quoted name, and the bracket of an index after it. The quote may be escaped, even
/// twice. `None` at a lone backslash, except for an escaped line end or tab.
fn skip_closing_quote(text: &[u8], at: usize) -> Option<(usize, bool)> {
    if let Some(mark) = WRITTEN_QUOTES.iter().flatten().find(|mark| starts_with(text, at, mark.as_bytes())) {
        return Some((at + mark.len(), true));
    }
    let quote = run_end(text, at, |byte| byte == b'\\');
    match text.get(quote) {
        Some(&byte) if is_quote(byte) => {
            let end = quote + 1;
            let end = if text.get(end) == Some(&b']') { end + 1 } else { end };
            Some((end, true))
        }
        Some(b'n' | b't' | b'r') if quote > at => Some((at, false)),
        _ if quote > at => None,
        _ => Some((at, false)),
    }
}

/// Skips blanks, including tabs written as `\t` or, escaped twice, as `\\t`.
fn skip_blanks(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at - from < LONGEST_BLANK {
        match text.get(at) {
            Some(&byte) if is_blank(byte) => at += 1,
            Some(b'\\') => {
                let letter = run_end(text, at, |byte| byte == b'\\');
                if text.get(letter) != Some(&b't') {
                    break;
                }
                at = letter + 1;
            }
            _ => break,
        }
    }
    at
}

fn opens_quote(text: &[u8], at: usize) -> bool {
    let quote = run_end(text, at, |byte| byte == b'\\');
    text.get(quote).is_some_and(|&byte| is_quote(byte))
}

/// A quoted string: `"…"`, `'…'`, `` `…` ``, `\"…\"`, `b"…"`, `r#"…"#`.
fn quoted(text: &[u8], start: usize) -> Option<AssignedValue> {
    quoted_only(text, start, Style::Quoted)
}

fn quoted_only(text: &[u8], start: usize, style: Style) -> Option<AssignedValue> {
    if let Some([open, close]) = WRITTEN_QUOTES.iter().find(|[open, _]| starts_with(text, start, open.as_bytes())) {
        let start = start + open.len();
        let limit = text.len().min(start + 256);
        let end = (start..limit).find(|&at| starts_with(text, at, close.as_bytes()))?;
        if text[start..end].iter().any(|&byte| is_quote(byte) || matches!(byte, b'\\' | b'\n')) {
            return None;
        }
        return Some(AssignedValue { range: start..end, style });
    }
    let prefix_end = run_end(text, start, |byte| {
        matches!(byte, b'b' | b'r' | b'f' | b'u' | b'@' | b'$' | b'#' | b'L' | b'N' | b'E')
    });
    let prefix_end = if prefix_end - start <= 3 { prefix_end } else { start };
    let quote = run_end(text, prefix_end, |byte| byte == b'\\');
    let &mark = text.get(quote)?;
    if !is_quote(mark) {
        return None;
    }
    // `"""…"""`
    let is_triple = quote == prefix_end && starts_with(text, quote, &[mark; 3]);
    let start = quote + if is_triple { 3 } else { 1 };
    let start = if quote == prefix_end { inside_second_quote(text, start, mark)? } else { start };
    let limit = text.len().min(start + LONGEST_VALUE);
    let length = text[start..limit].iter().position(|&byte| byte == mark || byte == b'\n')?;
    let escapes = run_start(text, start + length, length, |byte| byte == b'\\');
    let closes = text[start + length] == mark;
    closes.then_some(AssignedValue { range: start..escapes, style })
}

/// The start of a string, inside its own escaped quotes: `"\"…\""`.
fn inside_second_quote(text: &[u8], start: usize, mark: u8) -> Option<usize> {
    let is_nested = text.get(start) == Some(&b'\\') && text.get(start + 1) == Some(&mark);
    Some(if is_nested { start + 2 } else { start })
}

/// An unquoted value, up to a blank or a separator.
fn unquoted(text: &[u8], start: usize, style: Style) -> Option<AssignedValue> {
    let end = run_end_within(text, start, LONGEST_UNQUOTED + 1, |byte| {
        !byte.is_ascii_whitespace()
            && !is_quote(byte)
            && !matches!(byte, b',' | b';' | b'|' | b'\\' | b'<' | b'>' | ESCAPE)
            && (byte != b'&' || style != Style::Plain)
    });
    let end = end
        - text[start..end].iter().rev().take_while(|&&byte| matches!(byte, b')' | b']' | b'}' | b'.' | b':')).count();
    let is_flag = || text[start] == b'-' && !looks_random(&text[start..end]);
    let fits = end > start && end - start <= LONGEST_UNQUOTED && !is_flag();
    fits.then_some(AssignedValue { range: start..end, style })
}

/// The string in `Secret::new("…")`, `getenv("NAME", "…")`, `Some("…")`.
fn argument(text: &[u8], start: usize) -> Option<AssignedValue> {
    let start = if starts_with(text, start, b"[]") { start + 2 } else { start };
    let open = run_end_within(text, start, LONGEST_CALLEE + 1, |byte| {
        is_token_byte(byte) || matches!(byte, b'.' | b':' | b'&')
    });
    if open == start || open - start > LONGEST_CALLEE || text.get(open) != Some(&b'(') {
        return None;
    }
    let first = quoted_only(text, skip_blanks(text, open + 1), Style::Argument)?;
    let after = run_end(text, first.range.end, |byte| byte == b'\\') + 1;
    let comma = skip_blanks(text, after);
    let second =
        (text.get(comma) == Some(&b',')).then(|| quoted_only(text, skip_blanks(text, comma + 1), Style::Argument));
    second.flatten().or(Some(first))
}

/// The value after a type: `token: &'static str = "…"`, `key: string = '…'`.
fn after_type(text: &[u8], start: usize) -> Option<AssignedValue> {
    let limit = text.len().min(start + 40);
    let is_type_byte = |byte: u8| {
        is_token_byte(byte)
            || matches!(byte, b'&' | b'\'' | b'<' | b'>' | b':' | b' ' | b'[' | b']' | b'.' | b'*' | b'?')
    };
    let equals = run_end(&text[..limit], start, is_type_byte);
    if equals == start || text.get(equals) != Some(&b'=') {
        return None;
    }
    quoted(text, skip_blanks(text, equals + 1))
}

/// The text of an XML element, up to its end tag.
fn element(text: &[u8], start: usize) -> Option<AssignedValue> {
    let end = run_end_within(text, start, LONGEST_VALUE + 1, |byte| byte != b'<' && byte != b'\n');
    let closes = starts_with(text, end, b"</") && end - start <= LONGEST_VALUE;
    closes.then_some(AssignedValue { range: start..end, style: Style::Plain })
}

/// The value in a separate field, as in lists of settings: `"name": "API_TOKEN", "value": "…"` or `- name: API_TOKEN`,
/// next line `value: …`.
fn value_field(text: &[u8], from: usize) -> Option<AssignedValue> {
    let mut start = skip_to_word(text, from);
    for _ in 0..2 {
        start = if starts_with_any_case(text, start, "type") { skip_field(text, start)? } else { start };
        start = if starts_with_any_case(text, start, "description") { skip_field(text, start)? } else { start };
    }
    if !starts_with_any_case(text, start, "value") {
        return None;
    }
    let (end, _) = skip_closing_quote(text, start + "value".len())?;
    let sign = skip_blanks(text, end);
    if !matches!(text.get(sign), Some(b':' | b'=')) {
        return None;
    }
    let start = skip_blanks(text, sign + 1);
    quoted(text, start).or_else(|| {
        let value = unquoted(text, start, Style::Bare)?;
        let style = if ends_line(text, value.range.end) { Style::Setting } else { Style::Bare };
        Some(AssignedValue { style, ..value })
    })
}

/// The start of the field after the one at `from`.
fn skip_field(text: &[u8], from: usize) -> Option<usize> {
    let (name_end, _) = skip_closing_quote(text, run_end_within(text, from, 24, is_token_byte))?;
    let sign = skip_blanks(text, name_end);
    if !matches!(text.get(sign), Some(b':' | b'=')) {
        return None;
    }
    let value = quoted(text, skip_blanks(text, sign + 1))?;
    Some(skip_to_word(text, value.range.end))
}

/// Skips separators of fields: commas, quotes, line ends, indentation.
fn skip_to_word(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at - from < LONGEST_BLANK {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b'"' | b'\'' | b'+' | b'-' | b'~') => at += 1,
            Some(b'\\') => {
                let is_escape = matches!(text.get(at + 1), Some(b'n' | b'r' | b't'));
                at += if is_escape { 2 } else { 1 };
            }
            _ => break,
        }
    }
    at
}
