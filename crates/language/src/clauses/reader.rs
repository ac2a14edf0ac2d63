//! Reads statements and actions into a common vocabulary, and compares them.

use std::collections::BTreeSet;

use crate::text::{Tokenizer, is_stop_word};

use super::action::Action;
use super::clause;
use super::clause::Bind;

/// The code that, according to a statement, does not work. Naming a command is not a warning.
pub fn failing_codes(statement: &str) -> Vec<&str> {
    const FAILS: [&str; 8] =
        ["fails", "is broken", "does not work", "doesn't work", "doesn’t work", "no longer works", "hangs", "crashes"];
    let lower = statement.to_ascii_lowercase();
    if FAILS.iter().any(|word| clause::whole_word(&lower, word).is_some()) {
        return codes(statement).into_iter().take(1).collect();
    }
    clause::forbidden_texts(statement).into_iter().flat_map(codes).collect()
}

/// The texts in back-ticks.
pub(super) fn codes(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|code| !code.trim().is_empty()).collect()
}

/// Reads statements and actions into a common vocabulary.
pub struct ClauseReader {
    tokenizer: Tokenizer,
}

impl ClauseReader {
    pub fn new() -> Self {
        ClauseReader { tokenizer: Tokenizer::new() }
    }

    /// Does a statement apply to an action, and how firmly?
    pub fn bears_on(&mut self, statement: &str, action: &Action) -> Option<Bind> {
        let clauses = self.clauses(statement);
        clauses.into_iter().filter(|clause| clause.matches(action)).map(|clause| clause.bind).min()
    }

    /// May an unreadable part of an action do what a statement forbids?
    pub fn may_forbid(&mut self, statement: &str, action: &Action) -> bool {
        let clauses = self.clauses(statement);
        clauses.iter().any(|clause| clause.bind == Bind::Firm && clause.may_match(action))
    }

    /// Whole identifiers and paths count in their parts.
    pub(super) fn words(&mut self, text: &str) -> BTreeSet<String> {
        let terms = self.tokenizer.strings(text).into_iter().map(in_full);
        terms.filter(|term| !is_stop_word(term) && !is_filler(term)).collect()
    }
}

impl Default for ClauseReader {
    fn default() -> Self {
        Self::new()
    }
}

/// The full forms of abbreviations that people use in commands.
pub(super) fn in_full(term: String) -> String {
    match term.as_str() {
        "prod" => "product".to_owned(),
        "dev" => "develop".to_owned(),
        "db" => "databas".to_owned(),
        "dep" => "depend".to_owned(),
        _ => term,
    }
}

/// Words that any action may have, or that only name the kind of a thing.
pub(super) fn is_filler(term: &str) -> bool {
    const FILLERS: [&str; 35] = [
        "use", "run", "make", "do", "ever", "any", "direct", "pleas", "file", "repo", "repositori", "project", "code",
        "codebas", "here", "branch", "folder", "directori", "command", "manual", "hand", "accident", "anyth", "someth",
        "thing", "yourself", "agent", "claud", "ourselv", "straight", "actual", "simpli", "tri", "alway", "packag",
    ];
    FILLERS.contains(&term)
}

#[cfg(test)]
mod tests {
    use crate::shell::ScriptExtent;
    use proptest::prelude::*;

    use super::*;

    fn forbids(statement: &str, action: &str) -> bool {
        let mut reader = ClauseReader::new();
        let action = reader.action(action, None, ScriptExtent::Whole);
        reader.bears_on(statement, &action).is_some()
    }

    fn bind(statement: &str, action: &str) -> Option<Bind> {
        let mut reader = ClauseReader::new();
        let action = reader.action(action, None, ScriptExtent::Whole);
        reader.bears_on(statement, &action)
    }

    #[test]
    fn what_stands_behind_a_never_is_forbidden() {
        assert!(forbids("Never push to main.", "git push origin main"));
        assert!(!forbids("Never push to main.", "git push origin feature"));
        assert!(!forbids("Always push to main.", "git push origin main"));
        assert!(forbids("Use `pnpm add` instead of `npm install`.", "npm install left-pad"));
        assert!(!forbids("Use `pnpm add` instead of `npm install`.", "pnpm add left-pad"));
        assert!(!forbids("Never commit without running the tests", "git status"));
        assert!(forbids("Please don’t deploy on Fridays", "deploy the shop on Fridays"));
        assert!(forbids("never force push in this repo, always open a pull request", "git push --force origin main"));
        assert!(!forbids("never force push in this repo, always open a pull request", "open a pull request"));
        assert!(forbids("Always use repo root (not `os.Getwd()`) for paths", "use os.Getwd() in hooks.go"));
        assert!(!forbids("Never call the zebra service.", "call the kale service from yam"));
        assert!(forbids("Never use git add -A.", "git add -A") && !forbids("Never use git add -A.", "git add ."));
    }

    #[test]
    fn one_word_forbids_a_program_only() {
        assert!(forbids("Never use npm", "cd web && npm install"));
        assert!(!forbids("Never use npm", "cat docs/npm.md"));
        assert!(!forbids("Never use npm", "explain npm to me"));
        assert!(forbids("Never commit without running make lint first", "git commit -am wip"));
    }

    #[test]
    fn paths_are_forbidden_with_what_is_in_them() {
        for statement in ["Never edit `src/gen/api.ts`.", "Don't touch `src/gen/`", "Never edit src/gen/api.ts by hand"]
        {
            for action in ["src/gen/api.ts", "/work/shop/src/gen/api.ts", "vim ./src/gen/api.ts"] {
                assert!(forbids(statement, action), "{statement} / {action}");
            }
            for action in ["src/gen.ts", "src/genesis/api.ts", "src/api.ts"] {
                assert!(!forbids(statement, action), "{statement} / {action}");
            }
        }
        assert!(forbids("Never edit `package.json`", "web/package.json"));
        assert!(!forbids("Never edit `package.json`", "packages/core/x.rs"));
        assert!(forbids("Do not edit files below `gen/**`", "gen/a/b.ts"));
        assert!(forbids("CHANGELOG.md must never be edited.", "CHANGELOG.md"));
        assert!(forbids("Never edit files under src/gen, they are generated.", "src/gen/api.ts"));
        assert!(forbids("Never change files in vendor/.", "vendor/foo.go"));
    }

    #[test]
    fn as_people_say_it() {
        for (statement, action) in [
            ("Never push to the main branch", "git push origin main"),
            ("Never push to the main branch", "git push origin HEAD:main"),
            ("Never push directly to main, open a PR", "git push -u origin main"),
            ("do not use npm, use pnpm", "npm install"),
            ("Don't use npm or yarn", "yarn add left-pad"),
            ("Use pnpm, not npm", "CI=1 npm ci"),
            ("never run the migrations against production", "npm run db:migrate -- --env=production"),
            ("never run the migrations against production", "RAILS_ENV=prod rails db:migrate"),
            ("don't touch the generated files in api/gen", "api/gen/client.ts"),
            ("don't touch the generated files in api/gen", "sed -i s/a/b/ api/gen/client.ts"),
            ("Please never force-push", "git push -f"),
            ("No force pushes", "git push --force-with-lease origin hours"),
            ("never commit or push to main", "git push origin main"),
            ("Never commit .env files", "git add .env"),
            ("Don't skip the hooks", "git commit --no-verify -m x"),
            ("Don't install packages globally", "npm install -g eslint"),
            ("don't touch the tests", "tests/door.rs"),
            ("Never delete the backups", "rm -rf backups"),
            ("Pushing to main is not allowed", "git push origin main"),
            ("never push to main, and don't amend commits", "git commit --amend"),
            ("Never use sudo", "cd /srv && sudo make install"),
            ("never run rm -rf on the data folder", "rm -rf data"),
            ("never run rm -rf on the data folder", "rm -fr data/"),
            ("never run rm -rf on the data folder", "rm -r -f data"),
            ("Under no circumstances run terraform destroy in this repo.", "terraform destroy"),
            ("Never commit or never push to main", "git push origin main"),
            ("Don't push or don't merge", "git merge hours"),
            ("avoid mocks or avoid stubs", "stubs"),
            ("Never use npm instead of pnpm", "npm install"),
            ("Use pnpm rather than npm", "npm install"),
            ("Never push to main", "git -C web push origin main"),
            ("Never push to main", "git --no-pager push origin main"),
            ("Never commit", "git -c user.name=x commit -m y"),
            ("Never delete the main branch", "git branch --delete main"),
            ("Never push to gh-pages", "git push origin gh-pages"),
            ("Never push to the release_candidate branch", "git push origin HEAD:release_candidate"),
            ("Don't add dependencies to package.json", "package.json"),
            ("Don't add dependencies to `package.json` or `Cargo.toml`.", "Cargo.toml"),
            ("Don't add .env to git", "git add .env"),
            ("Never log secrets in src/a.rs", "src/a.rs"),
            ("Never print .env", "cat .env"),
            ("Never edit gen/", "cat x > gen/a.ts 2>/dev/null"),
            ("Never edit gen/", "echo x >gen/a.ts"),
            ("Never edit gen/", "echo x>>gen/a.ts"),
            ("Never edit packages/", "packages/core/x.rs"),
            ("Don't touch `code/`", "rm -rf code"),
        ] {
            assert!(forbids(statement, action), "{statement} / {action}");
        }
    }

    #[test]
    fn what_only_sounds_alike_is_left_alone() {
        for (statement, action) in [
            ("Never push to the main branch", "git checkout main && git push origin hours"),
            ("Never push to the main branch", "git push origin main-menu"),
            ("Never push to the main branch", "git push origin fix/main-menu"),
            ("Never push to the main branch", "git commit -m \"never push to main\""),
            ("Never push to the main branch", "grep -rn 'push to main' docs"),
            ("Never push to the main branch", "echo push main"),
            ("never run rm -rf on the data folder", "rm -rf target"),
            ("never run rm -rf on the data folder", "rm data/a.txt"),
            ("Never push to the main branch", "git log origin/main"),
            ("Don't edit api/gen, edit api/templates instead", "api/templates/a.ts"),
            ("don't touch the generated files in api/gen", "cat api/gen/client.ts"),
            ("don't touch the generated files in api/gen", "git diff api/gen"),
            ("don't touch the tests", "cargo test"),
            ("Never commit .env files", ".env"),
            ("Never commit .env files", "cat .env"),
            ("never commit or push to main", "git commit -m x"),
            ("do not use npm, use pnpm", "pnpm install"),
            ("No need to push to main", "git push origin main"),
            ("Never use npm instead of pnpm", "pnpm install"),
            ("Do not use npm rather than pnpm", "pnpm install"),
            ("Never push to main", "git -C main push origin hours"),
            ("Never push to main", "git -C web log main"),
            ("Never push to gh-pages", "git push origin pages"),
            ("Never push to pages", "git push origin gh-pages"),
            ("Don't add dependencies to package.json", "git add package.json"),
            ("Never log secrets in src/a.rs", "cat src/a.rs"),
            ("Never edit gen/", "cat gen/a.ts > /tmp/a.ts"),
            ("Never edit gen/", "cat gen/a.ts 2>/dev/null"),
            ("Never edit packages/", "src/packages.rs"),
        ] {
            assert!(!forbids(statement, action), "{statement} / {action}");
        }
    }

    #[test]
    fn what_depends_on_more_than_the_action_binds_less() {
        assert_eq!(bind("Never push to main", "git push origin main"), Some(Bind::Firm));
        assert_eq!(bind("Never commit without running make lint first", "git commit -am x"), Some(Bind::Loose));
        assert_eq!(bind("On Fridays, never push to main", "git push origin main"), Some(Bind::Loose));
        assert_eq!(bind("Never push to main unless I ask", "git push origin main"), Some(Bind::Loose));
        assert_eq!(bind("Don't add dependencies to package.json", "package.json"), Some(Bind::Loose));
        assert_eq!(bind("Never commit or never push to main", "git commit -am x"), Some(Bind::Loose));
        assert_eq!(bind("Never commit or never push to main", "git push origin main"), Some(Bind::Firm));
        for (statement, action, speaks) in [
            ("always run tests with --locked", "cargo test -p door", true),
            ("always run tests with --locked", "cargo test --locked -p door", false),
            ("always run tests with --locked", "cargo build", false),
            ("Always use `cargo test --locked`", "cargo test", true),
            ("Never run cargo test without --locked", "cargo test", true),
            ("Never run cargo test without --locked", "cargo test --locked", false),
        ] {
            assert_eq!(bind(statement, action), speaks.then_some(Bind::Loose), "{statement} / {action}");
        }
    }

    /// Cards are found by words: a rule and the action it forbids must share one.
    #[test]
    fn a_path_of_plain_words_is_found() {
        let mut reader = ClauseReader::new();
        for (statement, action) in
            [("Never edit packages/", "packages/core/x.rs"), ("No edits in `code/`", "rm code/a")]
        {
            let words: BTreeSet<String> =
                reader.clauses(statement).into_iter().flat_map(|clause| clause.words).collect();
            assert!(
                !words.is_disjoint(&reader.action(action, None, ScriptExtent::Whole).words),
                "{statement} / {action}"
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_is_said_and_done_is_read(
            said in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..12),
            done in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..12),
            odd in ".{0,40}",
        ) {
            let (said, done) = (said.join(" "), done.join(" "));
            for statement in [said.clone(), format!("{said} {odd}"), format!("{odd}{said}"), said.replace(' ', "")] {
                for action in [&done, &odd, &format!("{done}{odd}")] {
                    let mut reader = ClauseReader::new();
                    let action = reader.action(action, Some(&odd), ScriptExtent::Whole);
                    reader.bears_on(&statement, &action);
                }
            }
        }
    }

    const WORDS: [&str; 56] = [
        "never", "don't", "don’t", "avoid", "do not", "instead of", "rather than", "no", "stop", "(not", ", not",
        "not", "is forbidden", "be", "or", "or ", ",", "and", ".", ";", ":", ")", "`", "'", "\"", "<<", "<<EOF", ">",
        "2>&1", "|", "&&", "\n", "=", "-", "--", "-C", "-m", "git", "push", "commit", "main", "gh-pages", "to", "in",
        "add", "/", "packages/", "src/a.rs", "without", "unless", "always", "--locked", "sudo", "timeout", "sh", "é",
    ];

    #[test]
    fn an_escape_hides_nothing() {
        for action in [
            "echo it\\'s done && git push origin main",
            "bash -c 'git push origin main'",
            "b=main; git push origin $b",
            "git checkout main && git push",
            "echo x -> a; git push origin main",
        ] {
            assert!(forbids("Never push to main.", action), "{action}");
        }
        assert!(forbids("Never edit gen/", "echo x -> gen/a.ts"), "a shell writes there");
    }

    #[test]
    fn what_cannot_be_read_may_be_forbidden() {
        let mut reader = ClauseReader::new();
        let mut may = |action: &str| {
            let action = reader.action(action, Some("main"), ScriptExtent::Whole);
            let forbids = reader.bears_on("Never push to main", &action).is_some();
            !forbids && reader.may_forbid("Never push to main", &action)
        };
        for action in [
            "git fetch origin main && git push origin $B",
            "git push origin $B",
            "git push origin feat:$B",
            "git $X",
            "uv run git $X",
            "$GIT push origin $B",
            "$GIT push",
            "cat list | xargs git push origin",
            "git push origin m?in",
            "git push origin 'refs/heads/*:refs/heads/*'",
            "eval \"$x\"",
            "$X",
            "eval \"$x\"; echo push to main",
            "cd web && git push",
            "git checkout a.txt && git push",
            "echo Z2l0 | base64 -d | sh",
        ] {
            assert!(may(action), "{action}");
        }
        for action in [
            "git push origin \"v$VERSION\"",
            "git push origin \"$SHA:refs/heads/hours\"",
            "git push origin feat/*",
            "git add *",
            "git diff main \"$B\"",
            "git checkout -b hours && git push",
            "make $X",
            "echo git $X",
            "npm run $X",
            "cd web && git push origin hours",
            "eval \"$(ssh-agent -s)\"",
            "git commit -m \"push to main $X\"",
        ] {
            assert!(!may(action), "{action}");
        }
        let cut = reader.action("ls", None, ScriptExtent::Cut);
        assert!(reader.may_forbid("Never push to main", &cut));
        assert!(!reader.may_forbid("Never push to main unless I ask", &cut), "it depends on more");
    }

    #[test]
    fn the_branch_that_is_checked_out_counts() {
        let mut reader = ClauseReader::new();
        let mut bears = |statement: &str, line: &str, branch: &str| {
            let action = reader.action(line, Some(branch), ScriptExtent::Whole);
            reader.bears_on(statement, &action)
        };
        assert_eq!(bears("don't commit directly to main", "git commit -am x", "main"), Some(Bind::Firm));
        assert_eq!(bears("don't commit directly to main", "git commit -am x", "hours"), None);
        assert_eq!(bears("Never push to main", "git push", "main"), Some(Bind::Firm));
    }
}
