//! Do all commands keep the contract about processes, sockets, files, memory and threads?
//!
//! `cargo test --workspace` builds the program under test. With this crate alone, `cargo build -p backstory` must come
//! first.

#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

const SIGSYS: i32 = 31;

fn eval(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backstory-eval")).args(arguments).output().expect("it runs")
}

#[test]
fn every_command_keeps_the_contract() {
    let output = eval(&["resources"]);
    let (table, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{table}\n{}", errors.replace("\\n", "\n"));
}

#[test]
fn a_child_process_ends_the_one_that_starts_it() {
    let tree = tempfile::tempdir().expect("a folder");
    let tree = tree.path().to_str().expect("a name");
    let with = |script: &str| eval(&["confined", "--tree", tree, "/bin/sh", "-c", script]).status;
    assert_eq!(with("exit 3").code(), Some(3));
    assert_eq!(with("/bin/true; exit 3").signal(), Some(SIGSYS));
    assert_eq!(with("exit 3 | exit 3").signal(), Some(SIGSYS));
}
