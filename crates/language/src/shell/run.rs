//! Which programs does a command line run, and which parts are unreadable?

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::argv::{base_name, is_shell, script_argument};
use super::expand::{self, Argument, CURRENT_BRANCH, Knowledge, OUTPUT, Outputs, VariableValues};
use super::parse;
use super::script::{CommandPlace, RedirectionKind, Script, SimpleCommand, SyntaxFault, Word, WordPart};
use super::starters;

/// Everything that a command line runs, in order, including inner scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptReading {
    pub runs: Vec<ProgramRun>,
    pub unread: Vec<Unread>,
}

/// A program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramRun {
    /// Words before it that only start it: `sudo`, `X=1`, `timeout 5`.
    pub starters: Vec<String>,
    /// The words from the program on. Empty for mere assignments and redirections.
    pub words: Vec<Argument>,
    /// The files that its output is redirected to.
    pub writes: Vec<Argument>,
}

/// A part that runs something unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread {
    pub reason: UnreadReason,
    pub reach: RunReach,
}

/// What can be in an unread part?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunReach {
    /// It consists of mentioned words or of the environment.
    Mentioned,
    /// It is decoded, computed, fetched or was not examined: anything.
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadReason {
    /// A quote or bracket is unclosed or misplaced.
    Syntax,
    /// The name of the program is known only at run time.
    ProgramName,
    /// A shell runs a text that is known only at run time.
    Script,
    /// Nested too deeply, or too long.
    Limit,
}

/// The nesting limit of scripts.
const DEEPEST: usize = 8;
/// The limit on bytes of values and inner scripts that are followed.
const BUDGET: usize = 1 << 20;
/// The limit on pipeline stages that are followed back.
const LONGEST_PIPELINE: usize = 12;
/// Programs whose output differs from their input.
const DECODERS: [&str; 42] = [
    "base64", "base32", "basenc", "xxd", "od", "hexdump", "openssl", "gpg", "age", "gunzip", "zcat", "gzip", "bzcat",
    "bunzip2", "bzip2", "xzcat", "unxz", "xz", "zstdcat", "zstd", "uudecode", "rev", "tac", "tr", "sed", "awk", "gawk",
    "perl", "python", "python3", "ruby", "node", "php", "curl", "wget", "nc", "ncat", "socat", "cut", "fold", "paste",
    "jq",
];

pub fn runs(line: &str) -> ScriptReading {
    let mut reader = Reader { budget: BUDGET, ..Reader::default() };
    reader.script(line, 0);
    reader.reading
}

#[derive(Default)]
struct Reader {
    reading: ScriptReading,
    values: Rc<VariableValues>,
    /// Files that the text itself writes.
    files: HashMap<String, Argument>,
    budget: usize,
}

/// A script that is being evaluated.
struct Frame<'s> {
    script: &'s Script,
    depth: usize,
}

impl Reader {
    fn unread(&mut self, reason: UnreadReason, knowledge: Knowledge) {
        let reach = if knowledge == Knowledge::Hidden { RunReach::Anything } else { RunReach::Mentioned };
        let unread = Unread { reason, reach };
        if !self.reading.unread.contains(&unread) {
            self.reading.unread.push(unread);
        }
    }

    fn script(&mut self, text: &str, depth: usize) {
        let affordable = depth == 0 || text.len() <= self.budget;
        if depth > DEEPEST || !affordable {
            return self.unread(UnreadReason::Limit, Knowledge::Hidden);
        }
        if depth > 0 {
            self.budget -= text.len();
        }
        let script = parse::read(text);
        for fault in &script.faults {
            match fault {
                SyntaxFault::TooDeep => self.unread(UnreadReason::Limit, Knowledge::Hidden),
                _ => self.unread(UnreadReason::Syntax, Knowledge::Unknown),
            }
        }
        let frame = Frame { script: &script, depth };
        for command in &script.commands {
            self.command(&frame, command);
        }
    }

    /// A text that a shell runs; parts of it may be unknown.
    fn inner(&mut self, text: &Argument, depth: usize) {
        if text.knowledge == Knowledge::Hidden || text.is_open() && text.text.is_empty() {
            self.unread(UnreadReason::Script, Knowledge::Hidden);
        }
        self.script(&text.text, depth + 1);
    }

    fn command(&mut self, frame: &Frame<'_>, command: &SimpleCommand) {
        let mut starters = Vec::new();
        for assignment in &command.assignments {
            let value = self.text(frame, &assignment.value);
            starters.push(format!("{}={}", assignment.name, value.text));
            if !command.words.is_empty() {
                continue;
            }
            match assignment.appends {
                true => Rc::make_mut(&mut self.values).append(&assignment.name, &value),
                false => Rc::make_mut(&mut self.values).set(&assignment.name, value),
            }
        }
        let words: Vec<Argument> = command.words.iter().flat_map(|word| self.arguments(frame, word)).collect();
        let writes: Vec<Argument> =
            command.redirections.iter().filter_map(|it| it.written()).map(|word| self.text(frame, word)).collect();
        self.remember_files(frame, command, &writes);
        match words.first().map(|word| word.text.as_str()) {
            Some("for" | "select") if command.words[0].is_plain() => self.loop_variable(&words),
            Some("case") if command.words[0].is_plain() => {}
            Some("export" | "declare" | "local" | "readonly" | "typeset") => {
                self.declare(frame, command);
                self.reading.runs.push(ProgramRun { starters, words, writes });
            }
            _ => self.start(frame, command, starters, words, writes),
        }
    }

    /// `for NAME in a b`: the name represents all of them.
    fn loop_variable(&mut self, words: &[Argument]) {
        let Some(name) = words.get(1) else { return };
        let mut value = Argument::default();
        for word in words.iter().skip(3) {
            let knowledge = value.knowledge.max(word.knowledge);
            let text = format!("{} {}", value.text, word.text);
            value = Argument::of(&text, knowledge);
            if text.len() > LONGEST_LIST {
                value = Argument::unknown(&format!("${}", name.text), Knowledge::Unknown);
                break;
            }
        }
        match words.len() > 3 {
            true => Rc::make_mut(&mut self.values).replace(&name.text, value),
            false => Rc::make_mut(&mut self.values).replace(&name.text, Argument::unknown("$@", Knowledge::Unknown)),
        }
    }

    fn declare(&mut self, frame: &Frame<'_>, command: &SimpleCommand) {
        for assignment in command.words.iter().filter_map(parse::assignment) {
            let value = self.text(frame, &assignment.value);
            Rc::make_mut(&mut self.values).set(&assignment.name, value);
        }
    }

    /// A written file may be run later.
    fn remember_files(&mut self, frame: &Frame<'_>, command: &SimpleCommand, writes: &[Argument]) {
        let words = &command.words;
        let is_tee = words.first().and_then(Word::literal).is_some_and(|program| base_name(&program) == "tee");
        if writes.is_empty() && !is_tee {
            return;
        }
        let output = match is_tee {
            true => self.input(frame, command, 0).unwrap_or_default(),
            false => self.printed(frame, command, 0),
        };
        let named = words.iter().skip(1).filter(|_| is_tee).filter_map(Word::literal);
        let files: Vec<String> = writes.iter().map(|file| file.text.clone()).chain(named).collect();
        for file in files {
            if self.affords(output.text.len()) {
                self.files.insert(plain_path(&file), output.clone());
            }
        }
    }

    /// A program is started, possibly by another one.
    fn start(
        &mut self,
        frame: &Frame<'_>,
        command: &SimpleCommand,
        mut starters: Vec<String>,
        words: Vec<Argument>,
        writes: Vec<Argument>,
    ) {
        let mut words = with_split_string(words);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let count = starters::count(&texts);
        let mut rest = words.split_off(count);
        if words.iter().any(|word| matches!(base_name(&word.text), "xargs" | "parallel")) {
            let input = self.input(frame, command, 0);
            take_input(&words, &mut rest, input);
        }
        starters.extend(words.iter().map(|word| word.text.clone()));
        let run = ProgramRun { starters, words: rest.clone(), writes };
        self.reading.runs.push(run);
        let Some(program) = rest.first() else { return };
        // `env -S 'git push' origin`, `watch 'git push'`
        if count > 0 && program.text.contains(char::is_whitespace) {
            return self.inner(&joined(&rest), frame.depth);
        }
        // `parallel ::: 'git push' 'git fetch'`
        if count > 0 && program.text == ":::" {
            for script in rest[1..].iter().filter(|script| !script.is_open()) {
                self.inner(script, frame.depth);
            }
            return;
        }
        let knowledge = program.knowledge_of_program();
        if knowledge != Knowledge::Known {
            let knowledge = if is_nothing_known(&rest) { Knowledge::Hidden } else { knowledge };
            self.unread(UnreadReason::ProgramName, knowledge);
        }
        self.started(frame, command, &rest);
    }

    /// Checks which programs a program starts.
    fn started(&mut self, frame: &Frame<'_>, command: &SimpleCommand, words: &[Argument]) {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let depth = frame.depth;
        match base_name(texts[0]) {
            program if is_shell(program) => self.shell(frame, command, words),
            "eval" | "." | "source" if takes_settings(frame.script, command) => {}
            "eval" => self.inner(&joined(&words[1..]), depth),
            "." | "source" if words.len() > 1 => self.file(frame, command, &words[1]),
            "ssh" => {
                if let Some(at) = starters::ssh_command(&texts) {
                    self.inner(&joined(&words[at..]), depth);
                }
            }
            "find" | "fd" => {
                if depth >= DEEPEST {
                    return self.unread(UnreadReason::Limit, Knowledge::Hidden);
                }
                let inner = Frame { script: frame.script, depth: depth + 1 };
                for range in starters::found_by(&texts) {
                    self.start(&inner, command, vec!["find".to_owned()], words[range].to_vec(), Vec::new());
                }
            }
            "trap" if words.len() > 2 => self.inner(&words[1].clone(), depth),
            "alias" => {
                for word in words.iter().skip(1).filter(|word| word.text.contains('=')) {
                    let value = word.text.split_once('=').map_or("", |(_, value)| value);
                    let knowledge = word.knowledge;
                    self.inner(&Argument::of(value, knowledge), depth);
                }
            }
            "at" | "batch" => self.standard_input(frame, command),
            // It runs the lines that it reads.
            "parallel" if texts[1..].iter().all(|word| word.starts_with('-')) => self.standard_input(frame, command),
            _ => {
                if starters::reads_code(&texts) {
                    self.code_on_input(frame, command);
                }
                self.scripts_in(words, depth);
            }
        }
    }

    /// Code in another language, which may start programs.
    fn code_on_input(&mut self, frame: &Frame<'_>, command: &SimpleCommand) {
        if let Some(code) = self.input(frame, command, 0) {
            let knowledge = knowledge_of_input(command, &code).max(Knowledge::Unknown);
            self.unread(UnreadReason::Script, knowledge);
        }
    }

    /// `su -c SCRIPT`, `docker exec box sh -c SCRIPT`
    fn scripts_in(&mut self, words: &[Argument], depth: usize) {
        const WITH_SCRIPT: [&str; 8] = ["su", "sg", "runuser", "script", "nix-shell", "flock", "npx", "npm"];
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        if WITH_SCRIPT.contains(&base_name(texts[0]))
            && let Some(script) = script_option(words)
        {
            return self.inner(&script, depth);
        }
        let shell = (1..texts.len().min(MOST_WORDS)).find(|at| is_shell(base_name(texts[*at])));
        if let Some(script) = shell.and_then(|at| Some(at + script_argument(&texts[at..])?)) {
            self.inner(&words[script].clone(), depth);
        }
    }

    fn shell(&mut self, frame: &Frame<'_>, command: &SimpleCommand, words: &[Argument]) {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        if let Some(at) = script_argument(&texts) {
            for (number, word) in words[at + 1..].iter().take(10).enumerate() {
                Rc::make_mut(&mut self.values).replace(&number.to_string(), word.clone());
            }
            return self.inner(&words[at].clone(), frame.depth);
        }
        if texts[0].ends_with("busybox") {
            return;
        }
        let reads_input = texts[1..].contains(&"-s");
        let file = words[1..].iter().find(|word| !word.text.starts_with(['-', '+'])).filter(|_| !reads_input);
        match file {
            Some(file) if !matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0") => self.file(frame, command, file),
            _ => self.standard_input(frame, command),
        }
    }

    /// A shell without arguments reads its script from its input.
    fn standard_input(&mut self, frame: &Frame<'_>, command: &SimpleCommand) {
        match self.input(frame, command, 0) {
            Some(script) if script.is_open() => {
                self.unread(UnreadReason::Script, knowledge_of_input(command, &script));
                self.script(&script.text, frame.depth + 1);
            }
            Some(script) => self.inner(&script, frame.depth),
            // `tee >(sh)`: the output of the surrounding program.
            None if command.place == CommandPlace::Substitution && command.words.len() == 1 => {
                self.unread(UnreadReason::Script, Knowledge::Hidden);
            }
            None if command.place == CommandPlace::Substitution => {
                self.unread(UnreadReason::Script, Knowledge::Unknown)
            }
            None => {}
        }
    }

    /// A file that the text has written, or the output of `<(…)`; other files are ordinary programs.
    fn file(&mut self, frame: &Frame<'_>, command: &SimpleCommand, file: &Argument) {
        let process = command.words.iter().flat_map(|word| &word.parts).find_map(|part| match part {
            WordPart::Process { commands, is_input: true } => Some(commands.clone()),
            _ => None,
        });
        if file.text.starts_with("/dev/fd/")
            && let Some(commands) = process
        {
            let output = self.output_of(frame, commands, 0);
            if output.is_open() {
                let knowledge = if output.text.is_empty() { Knowledge::Hidden } else { output.knowledge };
                self.unread(UnreadReason::Script, knowledge);
            }
            return self.script(&output.text, frame.depth + 1);
        }
        if let Some(script) = self.files.get(&plain_path(&file.text)).cloned() {
            self.inner(&script, frame.depth);
        }
    }

    /// The standard input of a command, if it is not the terminal.
    fn input(&mut self, frame: &Frame<'_>, command: &SimpleCommand, stages: usize) -> Option<Argument> {
        for redirection in command.redirections.iter().rev() {
            match redirection.kind {
                RedirectionKind::Document => {
                    return Some(redirection.document.as_ref().map(|word| self.text(frame, word)).unwrap_or_default());
                }
                RedirectionKind::Text => return Some(self.text(frame, &redirection.target)),
                RedirectionKind::Read => {
                    if let Some(WordPart::Process { commands, .. }) = redirection.target.parts.first() {
                        return Some(self.output_of(frame, commands.clone(), stages + 1));
                    }
                    let file = self.text(frame, &redirection.target);
                    let written = self.files.get(&plain_path(&file.text)).cloned();
                    return Some(written.unwrap_or_else(|| Argument::unknown("", Knowledge::Unknown)));
                }
                RedirectionKind::Write | RedirectionKind::Duplicate => {}
            }
        }
        let upstream = command.upstream.clone();
        (!upstream.is_empty()).then(|| self.output_of(frame, upstream, stages + 1))
    }

    /// The concatenated output of these commands.
    fn output_of(&mut self, frame: &Frame<'_>, range: Range<usize>, stages: usize) -> Argument {
        let commands = &frame.script.commands;
        let hides = commands[range.clone()].iter().any(is_decoder);
        let unknown = Argument::unknown("", if hides { Knowledge::Hidden } else { Knowledge::Unknown });
        if stages >= LONGEST_PIPELINE {
            return unknown;
        }
        let mut text = String::new();
        let mut at = range.start;
        while at < range.end {
            let command = &commands[at];
            at = after_inner(command, at);
            // Another command reads its output.
            if command.downstream.start < command.downstream.end && command.downstream.start < range.end {
                continue;
            }
            let output = self.printed(frame, command, stages);
            let is_all = text.is_empty() && at >= range.end && output.text.len() <= LONGEST_LIST;
            text.push_str(&output.text);
            if output.is_open() || text.len() > LONGEST_LIST {
                // Known parts are kept if nothing else is printed.
                let shown = if is_all { output.text.as_str() } else { "" };
                return Argument::unknown(shown, unknown.knowledge.max(output.knowledge));
            }
        }
        Argument::known(&text)
    }

    /// The output of one command, if the text alone determines it.
    fn printed(&mut self, frame: &Frame<'_>, command: &SimpleCommand, stages: usize) -> Argument {
        let hides = is_decoder(command);
        let unknown = Argument::unknown("", if hides { Knowledge::Hidden } else { Knowledge::Unknown });
        let words: Vec<Argument> = command.words.iter().flat_map(|word| self.arguments(frame, word)).collect();
        let Some(program) = words.first() else { return Argument::default() };
        let arguments = &words[1..];
        match base_name(&program.text) {
            "echo" => {
                let shown = arguments.iter().position(|word| !matches!(word.text.as_str(), "-n" | "-e" | "-E"));
                let shown = shown.map_or(&[][..], |at| &arguments[at..]);
                let mut output = joined(shown);
                if shown.iter().any(|word| word.text.contains('\\')) {
                    output = Argument::unknown(&output.text, Knowledge::Hidden);
                }
                output.text.push('\n');
                output
            }
            "printf" => match arguments {
                [format] if !format.text.contains(['\\', '%']) => format.clone(),
                [format, rest @ ..] if matches!(format.text.as_str(), "%s" | "%s\\n" | "%s ") => joined(rest),
                _ => unknown,
            },
            "git" if names_branch(arguments) => Argument::known(CURRENT_BRANCH),
            "cat" | "tee" if arguments.is_empty() || arguments[0].text == "-" => {
                self.input(frame, command, stages + 1).unwrap_or(unknown)
            }
            "cat" => match arguments {
                [file] => self.files.get(&plain_path(&file.text)).cloned().unwrap_or(unknown),
                _ => unknown,
            },
            _ => unknown,
        }
    }

    fn arguments(&mut self, frame: &Frame<'_>, word: &Word) -> Vec<Argument> {
        let values = Rc::clone(&self.values);
        expand::arguments(word, &values, &mut Inside { reader: self, frame })
    }

    fn text(&mut self, frame: &Frame<'_>, word: &Word) -> Argument {
        let values = Rc::clone(&self.values);
        expand::text(word, &values, &mut Inside { reader: self, frame })
    }

    fn affords(&mut self, bytes: usize) -> bool {
        let affords = bytes <= self.budget;
        self.budget -= if affords { bytes } else { 0 };
        affords
    }
}

struct Inside<'r, 's> {
    reader: &'r mut Reader,
    frame: &'r Frame<'s>,
}

impl Outputs for Inside<'_, '_> {
    fn output(&mut self, commands: Range<usize>) -> Argument {
        let output = self.reader.output_of(self.frame, commands, 0);
        match output.knowledge {
            Knowledge::Known => Argument::known(output.text.trim_end_matches('\n')),
            knowledge => Argument::unknown(OUTPUT, knowledge),
        }
    }

    fn affords(&mut self, bytes: usize) -> bool {
        self.reader.affords(bytes)
    }
}

/// A longer list of values is not followed.
const LONGEST_LIST: usize = 16 << 10;
/// The number of words of a command that are checked for a shell.
const MOST_WORDS: usize = 64;

/// The next command that is not inside this one.
fn after_inner(command: &SimpleCommand, at: usize) -> usize {
    let words = command.words.iter().chain(command.assignments.iter().map(|assignment| &assignment.value));
    let words = words.chain(command.redirections.iter().map(|redirection| &redirection.target));
    let inner = words.flat_map(|word| &word.parts).filter_map(|part| match part {
        WordPart::Substitution { commands, .. } | WordPart::Process { commands, .. } => Some(commands.end),
        _ => None,
    });
    inner.max().unwrap_or(0).max(at + 1)
}

fn is_decoder(command: &SimpleCommand) -> bool {
    let program = command.words.first().map(Word::text).unwrap_or_default();
    let program = base_name(&program);
    let escapes = matches!(program, "echo" | "printf")
        && command.words.iter().skip(1).any(|word| word.text().contains(['\\', '%']));
    DECODERS.contains(&program) || escapes
}

/// `$CMD`, `"$@"`, `$A $B`: neither the program nor an argument is known. A program in a named folder is an ordinary
/// one.
fn is_nothing_known(words: &[Argument]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let names_folder = program.text.split('$').next().is_some_and(|before| before.contains('/'));
    program.is_open() && program.text.contains('$') && !names_folder && arguments.iter().all(Argument::is_open)
}

/// How much is known about a program's input that it runs? A named file is an ordinary program; piped input is unknown.
fn knowledge_of_input(command: &SimpleCommand, input: &Argument) -> Knowledge {
    let is_process = |word: &Word| matches!(word.parts.first(), Some(WordPart::Process { .. }));
    let is_file = command.redirections.iter().any(|it| it.kind == RedirectionKind::Read && !is_process(&it.target));
    match input.is_open() && input.text.trim().is_empty() && !is_file {
        true => Knowledge::Hidden,
        false => input.knowledge,
    }
}

/// `eval "$(ssh-agent -s)"`, `source <(gh completion -s bash)`: the output of a program that is known to print shell
/// settings.
fn takes_settings(script: &Script, command: &SimpleCommand) -> bool {
    let [_, word] = command.words.as_slice() else { return false };
    let mut parts = word.parts.iter().filter(|part| !matches!(part, WordPart::Text { text, .. } if text.is_empty()));
    let (Some(part), None) = (parts.next(), parts.next()) else { return false };
    let commands = match part {
        WordPart::Substitution { commands, .. } | WordPart::Process { commands, is_input: true } => commands.clone(),
        _ => return false,
    };
    let Some([printer]) = script.commands.get(commands) else { return false };
    let words: Option<Vec<String>> = printer.words.iter().map(Word::literal).collect();
    words.is_some_and(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        starters::prints_settings(&words)
    })
}

/// Does git print the name of the checked-out branch?
fn names_branch(arguments: &[Argument]) -> bool {
    let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    matches!(
        texts.as_slice(),
        ["branch", "--show-current"]
            | ["rev-parse", "--abbrev-ref", "HEAD" | "@"]
            | ["symbolic-ref", "--short", "HEAD"]
    )
}

fn joined(words: &[Argument]) -> Argument {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    Argument::of(&text, words.iter().map(|word| word.knowledge).max().unwrap_or_default())
}

/// The input of `xargs` becomes arguments.
fn take_input(own: &[Argument], rest: &mut Vec<Argument>, input: Option<Argument>) {
    let input = input.unwrap_or_else(|| Argument::unknown(OUTPUT, Knowledge::Unknown));
    let replaced = own.iter().enumerate().find_map(|(at, word)| {
        let value = word.text.strip_prefix("-I")?;
        Some(if value.is_empty() { own.get(at + 1)?.text.clone() } else { value.to_owned() })
    });
    let shown = if input.is_open() && input.text.is_empty() { OUTPUT } else { input.text.trim_end() };
    match replaced.filter(|mark| !mark.is_empty()) {
        Some(mark) => {
            for word in rest.iter_mut().filter(|word| word.text.contains(&mark)) {
                let text = word.text.replace(&mark, shown);
                *word = Argument::of(&text, word.knowledge.max(input.knowledge));
            }
        }
        None if input.is_open() => {
            rest.extend(shown.split_whitespace().map(|word| Argument::unknown(word, input.knowledge)));
        }
        None => rest.extend(shown.split_whitespace().map(Argument::known)),
    }
}

/// The value of `-c SCRIPT`, `-lc SCRIPT`, `-cSCRIPT`, `--command SCRIPT` or `--command=SCRIPT`.
fn script_option(words: &[Argument]) -> Option<Argument> {
    const LONG: [&str; 4] = ["--command", "--session-command", "--run", "--call"];
    for (at, word) in words.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        let letters = text.strip_prefix('-').unwrap_or_default();
        let is_bundle = letters.ends_with('c') && letters.chars().all(|c| c.is_ascii_alphabetic());
        if is_bundle || LONG.contains(&text) {
            return words.get(at + 1).cloned();
        }
        let attached = text.split_once('=').filter(|(flag, _)| LONG.contains(flag)).map(|(_, script)| script);
        if let Some(script) = attached.or_else(|| text.strip_prefix("-c")) {
            return Some(Argument::of(script, word.knowledge));
        }
    }
    None
}

/// `env -S'git push'` is `env -S 'git push'`.
fn with_split_string(mut words: Vec<Argument>) -> Vec<Argument> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    if let Some((at, from)) = starters::split_string(&texts) {
        let script = Argument::of(&words[at].text[from..], words[at].knowledge);
        drop(words.splice(at..=at, [Argument::known("-S"), script]));
    }
    words
}

fn plain_path(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}
