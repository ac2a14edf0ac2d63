//! Is a line of code boilerplate?
//!
//! `if err != nil {`, `return nil`, `} else {`, `import "fmt"`: finding such a line in two places proves nothing.

use super::identifiers::identifiers;

/// Fewer letters besides the usual words are a variable: `i`, `tt`.
const SHORTEST_NAME: usize = 3;

/// Words that say nothing about what a line is for.
const USUAL: &[&str] = &[
    "and", "async", "await", "begin", "bool", "boolean", "break", "case", "catch", "cfg", "class", "const", "continue",
    "def", "default", "defer", "done", "elif", "else", "end", "endif", "enum", "err", "error", "esac", "except",
    "export", "extends", "false", "finally", "float", "for", "func", "function", "goto", "impl", "int", "interface",
    "let", "loop", "match", "mod", "mut", "new", "nil", "none", "not", "null", "override", "package", "parallel",
    "pass", "private", "protected", "pub", "public", "raise", "range", "result", "return", "self", "some", "static",
    "str", "string", "struct", "super", "switch", "test", "tests", "then", "this", "throw", "throws", "true", "try",
    "type", "undefined", "unwrap", "val", "var", "void", "while", "with", "yield",
];

pub fn is_boilerplate(line: &str) -> bool {
    let line = line.trim();
    is_import(line) || !identifiers(line).any(is_telling_name)
}

fn is_telling_name(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    // Words of scripts without spaces are short.
    let long = letters >= SHORTEST_NAME || !name.is_ascii();
    long && !USUAL.contains(&name.to_lowercase().as_str())
}

/// A file has an import once, but many files have it.
pub fn is_import(line: &str) -> bool {
    let line = line.trim().trim_end_matches(';').trim_end();
    let first = line.split_whitespace().next().unwrap_or_default();
    match first {
        "import" => is_list_of_modules(line),
        "from" => line.contains(" import "),
        "use" | "using" | "package" | "namespace" | "extern" => !line.contains(['=', '(']) && words(line) <= 5,
        "pub" => line.starts_with("pub use "),
        "#include" | "require" | "require_relative" => true,
        _ => line.contains("= require(") || is_quoted_path(line),
    }
}

/// `import os, sys`, `import "fmt"`, `import { a } from 'b'`, but not prose with such a start.
fn is_list_of_modules(line: &str) -> bool {
    line.contains(['"', '\'', '(', '{']) || line.contains(',') || words(line) <= 2 || line.contains(" as ")
}

/// A line of an import block in Go: `"os/exec"`, `yaml "gopkg.in/yaml.v3"`.
fn is_quoted_path(line: &str) -> bool {
    let Some((alias, rest)) = line.split_once('"') else { return false };
    let Some(path) = rest.strip_suffix('"') else { return false };
    let is_name = |text: &str, others: &[char]| text.chars().all(|c| c.is_alphanumeric() || others.contains(&c));
    !path.is_empty() && is_name(alias.trim(), &['_', '.']) && is_name(path, &['_', '.', '/', '-'])
}

fn words(line: &str) -> usize {
    line.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_any_program_says_nothing() {
        for line in [
            "}",
            "",
            "} else {",
            "if err != nil {",
            "\treturn nil, err",
            "return err",
            "for i := 0; i < n; i++ {",
            "for _, tt := range tests {",
            "import \"fmt\"",
            "\t\"os/exec\"",
            "yaml \"gopkg.in/yaml.v3\"",
            "import os, sys",
            "import (",
            "from typing import Any",
            "use std::collections::HashMap;",
            "use super::*;",
            "import { useState } from 'react'",
            "const fs = require('fs');",
            "#include <stdio.h>",
            "package main",
            "Ok(())",
            "t.Parallel()",
            "@Override",
            "public static void",
            "fi",
            "});",
        ] {
            assert!(is_boilerplate(line), "{line}");
        }
    }

    #[test]
    fn what_names_something_is_told_apart() {
        for line in [
            "let total = 0;",
            "if len(args) == 0 {",
            "return fmt.Errorf(\"no session %s: %w\", id, err)",
            "// the shop closes at eight",
            "import the settings before the first start",
            "\"name\": \"shop\",",
            "func (c *Cart) Hold() error {",
            "合計を丸める",
        ] {
            assert!(!is_boilerplate(line), "{line}");
        }
    }
}
