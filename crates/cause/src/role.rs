//! Can changing this file change what the program does?
//!
//! The causal criterion is intervention: only source files can be a cause.
//! Tests, documents and generated files can explain one, but never outrank it.

/// The role of a file for questions about causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// Code that the program runs.
    Source,
    /// Code that exercises it.
    Test,
    /// Text about the code, and everything else that people read.
    Document,
    /// Generated or vendored: a fix is not made there.
    Generated,
}

impl FileRole {
    /// The inverse of `role as u32`.
    pub fn from_number(number: u32) -> Self {
        [FileRole::Source, FileRole::Test, FileRole::Document]
            .get(number as usize)
            .copied()
            .unwrap_or(FileRole::Generated)
    }
}

/// The extensions of the languages whose files can be a cause.
const CODE: [&str; 78] = [
    "py", "pyi", "pyx", "js", "jsx", "cjs", "mjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go", "rs", "java",
    "kt", "kts", "scala", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "rb", "php", "swift", "m", "mm", "lua",
    "ex", "exs", "erl", "hs", "ml", "clj", "dart", "mli", "cljs", "zig", "sh", "bash", "zsh", "fish", "pl", "pm", "r",
    "jl", "fs", "fsx", "groovy", "gradle", "nim", "sol", "sql", "proto", "graphql", "elm", "cr", "el", "lisp", "scm",
    "ps1", "bat", "cmake", "nix", "tf", "cu", "glsl", "wgsl", "v", "sv", "pas", "f90", "bzl",
];

/// Is it code by its name, even if its language cannot be parsed?
pub fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| CODE.contains(&extension))
}
const TEST_FOLDERS: [&str; 12] = [
    "tests", "__tests__", "testdata", "spec", "specs", "fixtures", "__mocks__", "mocks", "e2e", "benches",
    "benchmarks", "benchmark",
];
const DOCUMENT_FOLDERS: [&str; 10] =
    ["docs", "doc", "examples", "example", "samples", "sample", "demo", "demos", "website", ".github"];
const GENERATED_FOLDERS: [&str; 8] =
    ["dist", "vendor", "node_modules", "third_party", "bower_components", "generated", "__generated__", ".yarn"];

/// The role of a file, from its path alone.
pub fn role(path: &str) -> FileRole {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_folder = |known: &[&str]| folders.split('/').any(|folder| known.contains(&folder));
    if !CODE.contains(&extension) {
        return FileRole::Document;
    }
    if in_folder(&GENERATED_FOLDERS) || is_generated_name(stem) {
        return FileRole::Generated;
    }
    if in_folder(&TEST_FOLDERS) || is_test_folder(folders) || is_test_name(stem, extension) {
        return FileRole::Test;
    }
    if in_folder(&DOCUMENT_FOLDERS) { FileRole::Document } else { FileRole::Source }
}

/// Does a configuration file at this path affect the program? Those of tests, examples, pipelines and dependencies do
/// not.
pub fn configures(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let others = |folder: &str| {
        let known = [&TEST_FOLDERS[..], &DOCUMENT_FOLDERS[..], &GENERATED_FOLDERS[..]];
        known.iter().any(|folders| folders.contains(&folder)) || folder.starts_with('.')
    };
    let is_lock = name.contains("lock") || name.contains("shrinkwrap");
    !is_lock && !name.starts_with('.') && !is_test_folder(folders) && !folders.split('/').any(others)
}

/// `test` holds tests at the root or beside the sources; deeper down it is as often a library for test authors.
fn is_test_folder(folders: &str) -> bool {
    let mut before = None;
    folders.split('/').any(|folder| {
        let found = folder == "test" && matches!(before, None | Some("src"));
        before = Some(folder);
        found
    }) || folders.split('/').any(|folder| folder.starts_with("tests-"))
}

fn is_test_name(stem: &str, extension: &str) -> bool {
    if extension == "go" {
        return stem.ends_with("_test");
    }
    let lower = stem.to_ascii_lowercase();
    lower.starts_with("test_")
        || ["_test", "_tests", ".test", ".spec", "_spec"].iter().any(|end| lower.ends_with(end))
        || ["Test", "Tests", "TestCase", "Spec"].iter().any(|end| stem.len() > end.len() && stem.ends_with(end))
        || ["test", "tests", "conftest"].contains(&lower.as_str())
}

fn is_generated_name(stem: &str) -> bool {
    stem.ends_with(".min") || stem.ends_with(".pb") || stem.ends_with("_pb2") || stem.ends_with(".bundle")
}

#[cfg(test)]
mod tests {
    use super::{FileRole, configures, role};

    #[test]
    fn what_configures_tests_and_tools_does_not_configure_the_program() {
        for path in ["config/shop.toml", "shop.json", "deploy/values.yaml"] {
            assert!(configures(path), "{path}");
        }
        for path in ["package-lock.json", "Cargo.lock", ".github/ci.yml", ".eslintrc.json", "tests/fixtures/a.json"] {
            assert!(!configures(path), "{path}");
        }
    }

    #[test]
    fn only_what_runs_can_be_a_cause() {
        for path in ["lib/core/a.js", "pkg/test/client.py", "src/latest.rs", "setup.py", "tree.go", "test_helpers.go"] {
            assert_eq!(role(path), FileRole::Source, "{path}");
        }
        for path in ["test/a.js", "src/test/java/A.java", "tree_test.go", "a/tests/b.py", "x/FooTest.java", "a.spec.ts"]
        {
            assert_eq!(role(path), FileRole::Test, "{path}");
        }
        for path in ["README.md", "docs/conf.py", "CHANGES", "examples/echo.rs"] {
            assert_eq!(role(path), FileRole::Document, "{path}");
        }
        for path in ["dist/a.js", "static/vendor/jquery.js", "a.min.js"] {
            assert_eq!(role(path), FileRole::Generated, "{path}");
        }
    }
}
