//! Output on a terminal: wrapped text, a pager, colours; and output to a pipe.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::env::{TestEnv, TestResult};

/// The bytes that a terminal of that size receives.
fn on_a_terminal(command: &mut Command, columns: &str, lines: &str) -> TestResult<String> {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = ptsname(&master, Vec::new())?.into_string()?;
    let slave = fs::OpenOptions::new().read(true).write(true).open(slave)?;
    command.env("COLUMNS", columns).env("LINES", lines).env("TERM", "xterm-256color").env("PATH", "/usr/bin:/bin");
    command.stdout(slave).stderr(Stdio::null()).stdin(Stdio::null());
    let mut child = command.spawn()?;
    // Our copies of the ends would keep the terminal open.
    command.stdout(Stdio::null());
    let mut bytes = Vec::new();
    let _ = fs::File::from(master).read_to_end(&mut bytes);
    child.wait()?;
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
}

fn story(env: &TestEnv, more: &[&str]) -> Command {
    env.command(&[&["reconstruct", "1a5d"], more].concat())
}

#[test]
fn text_is_wrapped_to_the_width() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for width in [60, 80, 120] {
        let shown = on_a_terminal(&mut story(&env, &["--no-pager"]), &width.to_string(), "24")?;
        let longest = shown.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= width && longest > width - 20, "{longest} of {width}:\n{shown}");
    }
    let piped = env.run(&["reconstruct", "1a5d"]).ok()?;
    assert!(piped.lines().any(|line| line.chars().count() > 120), "a pipe gets whole lines");
    let framed = env.run_with(&[("COLUMNS", "40")], &["reconstruct", "1a5d"]).ok()?;
    assert_eq!(framed, piped, "what agents read is never wrapped");
    let plain = env.run_with(&[("COLUMNS", "40")], &["reconstruct", "1a5d", "--plain"]).ok()?;
    assert!(plain.lines().any(|line| line.chars().count() > 120), "a pipe gets whole lines");
    Ok(())
}

#[test]
fn titles_are_cut_at_the_width() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let shown = on_a_terminal(&mut env.command(&["sessions", "--all-projects", "--no-pager"]), "60", "80")?;
    assert!(shown.lines().any(|line| line.ends_with('…')), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
    Ok(())
}

#[test]
fn long_output_goes_through_the_pager() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let pager = env.path("pager");
    fs::write(&pager, "#!/bin/sh\necho PAGED with LESS=$LESS\ncat\n")?;
    fs::set_permissions(&pager, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let pager = pager.to_string_lossy().into_owned();
    let paged = |command: &mut Command, lines: &str| -> TestResult<bool> {
        Ok(on_a_terminal(command, "80", lines)?.contains("PAGED with LESS=FRX"))
    };
    assert!(paged(story(&env, &[]).env("BACKSTORY_PAGER", &pager), "24")?, "longer than the screen");
    assert!(paged(story(&env, &[]).env("PAGER", &pager), "24")?);
    assert!(!paged(story(&env, &[]).env("PAGER", &pager).env("BACKSTORY_PAGER", ""), "24")?, "turned off");
    assert!(!paged(story(&env, &[]).env("PAGER", &pager).env("BACKSTORY_PAGER", "cat"), "24")?, "turned off");
    assert!(!paged(story(&env, &["--no-pager"]).env("PAGER", &pager), "24")?);
    for help in [&["help", "search", "--no-pager"][..], &["search", "--help", "--no-pager"], &["--no-pager", "--help"]]
    {
        assert!(!paged(env.command(help).env("PAGER", &pager), "10")?, "{help:?}");
    }
    assert!(paged(env.command(&["search", "--help"]).env("PAGER", &pager), "10")?, "help is long");
    assert!(!paged(story(&env, &["--json"]).env("PAGER", &pager), "24")?, "JSON is for programs");
    assert!(!paged(env.command(&["status"]).env("PAGER", &pager), "200")?, "it fits");
    let piped = env.run_with(&[("PAGER", &pager)], &["reconstruct", "1a5d"]).ok()?;
    assert!(!piped.contains("PAGED"), "a pipe has no pager");
    Ok(())
}

#[test]
fn a_missing_pager_is_no_error() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let shown = on_a_terminal(story(&env, &[]).env("PAGER", "there-is-no-such-pager"), "80", "24")?;
    assert!(shown.contains("NaN total is back"), "{shown}");
    Ok(())
}

#[test]
fn colours_can_be_chosen() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let has_colour = |shown: &str| shown.contains("\x1b[");
    let mut always = env.command(&["status", "--color", "always"]);
    assert!(has_colour(&String::from_utf8(always.output()?.stdout)?));
    let mut framed = env.command(&["search", "NaN total", "--all-projects", "--color", "always"]);
    let framed = String::from_utf8(framed.output()?.stdout)?;
    assert!(framed.starts_with("<backstory-memory") && has_colour(&framed), "{framed}");
    let uncoloured = env.run(&["search", "NaN total", "--all-projects"]).ok()?;
    assert_eq!(anstream::adapter::strip_str(&framed).to_string(), uncoloured, "only colours differ");
    let mut auto = env.command(&["status", "--no-pager"]);
    assert!(has_colour(&on_a_terminal(auto.env_remove("NO_COLOR"), "80", "24")?));
    let mut off = env.command(&["status", "--no-pager"]);
    assert!(!has_colour(&on_a_terminal(off.env("NO_COLOR", "1"), "80", "24")?));
    let mut never = env.command(&["status", "--no-pager", "--color", "never"]);
    assert!(!has_colour(&on_a_terminal(never.env_remove("NO_COLOR"), "80", "24")?));
    Ok(())
}

#[test]
fn plain_has_one_item_a_line() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for list in ["sessions", "cards", "loops", "agents"] {
        let json = env.run(&[list, "--all-projects", "--json"]).json()?;
        let plain = env.run(&[list, "--all-projects", "--plain"]).ok()?;
        assert_eq!(Some(plain.lines().count()), json["items"].as_array().map(Vec::len), "{list}: {plain}");
        assert!(plain.lines().all(|line| line.contains('\t')) && !plain.contains('<'), "{plain}");
    }
    for question in [&["search", "NaN total"][..], &["recall", "NaN total"], &["predict", "NaN total"], &["links"]] {
        let plain = env.run(&[question, &["--all-projects", "--plain"]].concat()).ok()?;
        assert!(plain.lines().count() > 1 && !plain.contains("<backstory"), "{question:?}: {plain}");
        for line in plain.lines() {
            let id = line.split('\t').next().unwrap_or_default();
            assert!(id.len() == 12 && line.matches('\t').count() >= 3, "{question:?}: {line}");
            assert_eq!(env.run(&["show", id]).code, Some(0), "{question:?}: {line}");
        }
    }
    let empty = env.run(&["sessions", "--all-projects", "--from", "2030-01-01", "--plain"]);
    assert!(empty.stdout.is_empty() && empty.code == Some(1), "{}", empty.text());
    let framed = env.run_with(&[("CLAUDECODE", "1")], &["reconstruct", "1a5d", "--plain"]).ok()?;
    assert!(framed.starts_with("<backstory-memory"), "an agent gets its quotations marked");
    Ok(())
}
