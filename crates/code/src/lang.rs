//! Which language is a file written in? Decided by its name alone.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Language {
    Rust,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Kotlin,
    Swift,
    Markdown,
    Toml,
    Json,
    Yaml,
    Ini,
}

/// Languages whose files can name each other's entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    Rust,
    Python,
    Script,
    Go,
    Jvm,
    C,
    CSharp,
    Ruby,
    Php,
    Swift,
    Document,
    Config,
}

const EXTENSIONS: &[(&str, Language)] = &[
    ("rs", Language::Rust),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("ts", Language::TypeScript),
    ("mts", Language::TypeScript),
    ("cts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("js", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("go", Language::Go),
    ("java", Language::Java),
    ("c", Language::C),
    ("h", Language::C),
    ("cc", Language::Cpp),
    ("cpp", Language::Cpp),
    ("cxx", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("hxx", Language::Cpp),
    ("cs", Language::CSharp),
    ("rb", Language::Ruby),
    ("rake", Language::Ruby),
    ("php", Language::Php),
    ("kt", Language::Kotlin),
    ("kts", Language::Kotlin),
    ("swift", Language::Swift),
    ("md", Language::Markdown),
    ("markdown", Language::Markdown),
    ("toml", Language::Toml),
    ("json", Language::Json),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("ini", Language::Ini),
    ("cfg", Language::Ini),
    ("properties", Language::Ini),
];

const FILE_NAMES: &[(&str, Language)] = &[
    ("Rakefile", Language::Ruby),
    ("Gemfile", Language::Ruby),
    ("Cargo.lock", Language::Toml),
    (".editorconfig", Language::Ini),
    (".env", Language::Ini),
];

impl Language {
    /// The language of a path; None for plain text.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next()?;
        let by_name = FILE_NAMES.iter().find(|(known, _)| *known == name);
        if let Some((_, language)) = by_name {
            return Some(*language);
        }
        let extension = name.rsplit_once('.')?.1;
        EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, language)| *language)
    }

    pub fn family(self) -> Family {
        match self {
            Language::Rust => Family::Rust,
            Language::Python => Family::Python,
            Language::TypeScript | Language::Tsx | Language::JavaScript => Family::Script,
            Language::Go => Family::Go,
            Language::Java | Language::Kotlin => Family::Jvm,
            Language::C | Language::Cpp => Family::C,
            Language::CSharp => Family::CSharp,
            Language::Ruby => Family::Ruby,
            Language::Php => Family::Php,
            Language::Swift => Family::Swift,
            Language::Markdown => Family::Document,
            Language::Toml | Language::Json | Language::Yaml | Language::Ini => Family::Config,
        }
    }

    /// Are functions with one name distinguished by the types of their arguments?
    pub fn has_overloads(self) -> bool {
        matches!(self, Language::Java | Language::Kotlin | Language::CSharp | Language::Cpp | Language::Swift)
    }

    /// Can a bare name inside a method be a member of the enclosing type?
    pub fn members_are_in_scope(self) -> bool {
        matches!(
            self,
            Language::Java | Language::Kotlin | Language::CSharp | Language::Cpp | Language::Swift | Language::Ruby
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_the_language() {
        for (path, language) in [
            ("shop/cart.py", Some(Language::Python)),
            ("src/cart.test.tsx", Some(Language::Tsx)),
            ("lib\\cart.CPP", Some(Language::Cpp)),
            ("Gemfile", Some(Language::Ruby)),
            ("README.md", Some(Language::Markdown)),
            (".env", Some(Language::Ini)),
            ("LICENSE", None),
            ("photo.png", None),
            ("", None),
        ] {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
    }
}
