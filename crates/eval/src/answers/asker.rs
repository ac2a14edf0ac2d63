//! What does the program print for a question?

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{AnswerOptions, EvalResult};
use crate::program::{Program, run};

/// How the program is asked.
#[derive(Clone, Copy, Debug)]
pub enum Verb {
    Search,
    /// With a budget of 2,000 tokens.
    WideSearch,
    Recall,
}

/// The program with a memory of these sessions.
pub struct Asker {
    program: Program,
    home: PathBuf,
    /// Of every search.
    arguments: Vec<String>,
}

/// What came back; a failure leaves nothing printed.
pub struct Printed {
    pub text: String,
    pub failed: Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    Yes,
    No,
}

impl Asker {
    /// Reads a folder of session files into a memory below `scratch`.
    pub fn of_sessions(sessions: &Path, scratch: &Path, options: &AnswerOptions) -> EvalResult<Self> {
        let home = scratch.join("home");
        std::fs::create_dir_all(&home)?;
        let program = Program::beside_this_one(&home.join(".backstory"))?;
        let arguments = options.args.split_whitespace().map(str::to_owned).collect();
        let asker = Asker { program, home, arguments };
        run(asker.command(&["ingest", "--quiet"]).arg(sessions))?;
        Ok(asker)
    }

    pub fn ask(&self, verb: Verb, question: &str) -> Printed {
        self.print(self.question(verb).arg("--").arg(question))
    }

    pub fn ask_for_json(&self, verb: Verb, question: &str) -> Printed {
        let printed = self.print(self.question(verb).args(["--json", "--"]).arg(question));
        match serde_json::from_str::<serde::de::IgnoredAny>(&printed.text) {
            Ok(_) => printed,
            Err(_) => Printed { failed: Failed::Yes, ..printed },
        }
    }

    /// Runs any other command.
    pub fn tell(&self, arguments: &[&str]) -> EvalResult<String> {
        let ran = run(&mut self.command(arguments))?;
        Ok(String::from_utf8_lossy(&ran.printed).into_owned())
    }

    /// What a hook answers to a host, if it is on.
    pub fn hook(&self, event: &str, input: &serde_json::Value) -> EvalResult<String> {
        let mut command = self.command(&["hook", event]);
        command.env("BACKSTORY_HOOKS_USER_PROMPT", "true");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(input.to_string().as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let told = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        Ok(told.to_owned())
    }

    /// As the title of a table.
    pub fn name(&self, verb: Verb) -> String {
        [verb.words(), &self.arguments_of(verb)].concat().join(" ")
    }

    fn question(&self, verb: Verb) -> Command {
        let mut command = self.command(verb.words());
        command.arg("--all-projects").args(self.arguments_of(verb));
        command
    }

    fn arguments_of(&self, verb: Verb) -> Vec<&str> {
        match verb {
            Verb::Search | Verb::WideSearch => self.arguments.iter().map(String::as_str).collect(),
            Verb::Recall => Vec::new(),
        }
    }

    /// In an environment that is the same on every machine.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.program.command(arguments);
        command.current_dir(&self.home).env("HOME", &self.home);
        command.envs([("NO_COLOR", "1"), ("COLUMNS", "120"), ("TERM", "dumb"), ("LC_ALL", "C.UTF-8")]);
        command
    }

    fn print(&self, command: &mut Command) -> Printed {
        match run(command) {
            Ok(ran) => Printed { text: String::from_utf8_lossy(&ran.printed).into_owned(), failed: Failed::No },
            Err(error) => {
                eprintln!("{error}");
                Printed { text: String::new(), failed: Failed::Yes }
            }
        }
    }
}

impl Verb {
    fn words(self) -> &'static [&'static str] {
        match self {
            Verb::Search => &["search"],
            Verb::WideSearch => &["search", "--budget", "2000"],
            Verb::Recall => &["recall"],
        }
    }
}
