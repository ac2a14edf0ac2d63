//! Words that matter for comparing a plan with a rule.

/// Verbs that begin an order.
pub(super) const IMPERATIVES: [&str; 22] = [
    "use", "pass", "put", "keep", "write", "store", "call", "go", "prefer", "run", "read", "add", "create", "import",
    "load", "send", "take", "open", "ask", "return", "let", "wrap",
];
/// Words that begin a way to do something: "always through the queue".
pub(super) const WAYS: [&str; 6] = ["through", "via", "with", "from", "in", "as"];
/// Stems of verbs that need something that exists.
pub(super) const CHANGES: [&str; 9] =
    ["chang", "delet", "edit", "modifi", "touch", "renam", "remov", "rewrit", "alter"];
/// Words that any plan and any rule may have.
pub(super) const FILLERS: [&str; 28] = [
    "use", "make", "never", "alway", "onli", "everywher", "anywher", "must", "pleas", "ever", "new", "els", "noth",
    "keep", "kept", "put", "let", "need", "want", "even", "anoth", "rather", "librari", "packag", "framework", "tool",
    "everi", "all",
];

/// Stems of things of one kind, of which a rule wants one.
pub(super) const OPPOSITES: [&[&str]; 18] = [
    &["integ", "float", "decim"],
    &["camelcas", "camelcase", "snake_cas", "snake_case", "kebab-cas", "kebab-case", "pascalcas", "pascalcase"],
    &["accept", "reject", "refus"],
    &["allow", "deni", "forbid"],
    &["synchron", "asynchron"],
    &["public", "privat"],
    &["includ", "exclud"],
    &["enabl", "disabl"],
    &["show", "hide"],
    &["postgr", "mysql", "sqlite", "mongodb", "redi"],
    &["npm", "yarn", "pnpm", "bun"],
    &["bcrypt", "argon2id", "argon2", "scrypt", "md5", "sha1"],
    &["uuid", "uuidv4", "uuidv7", "auto-incr"],
    &["rest", "graphql", "grpc"],
    &["tab", "space"],
    &["merg", "rebas"],
    &["hash", "encrypt", "plain"],
    &["english", "german", "french", "spanish", "italian", "polish", "japanes", "chines"],
];
/// Stems of units of time, and of words for no time at all.
pub(super) const TIMES: [&str; 8] = ["second", "minut", "hour", "day", "week", "month", "year", "midnight"];
pub(super) const AT_ONCE: [&str; 5] = ["immedi", "instant", "instantli", "directli", "now"];

/// One word for several: names of types, abbreviations, verbs that change or remove things.
pub(super) fn canonical(word: &str) -> String {
    let lower = word.to_lowercase();
    let one = match lower.as_str() {
        "f32" | "f64" | "double" | "doubles" | "float32" | "float64" | "real" => "float",
        "i32" | "i64" | "u32" | "u64" | "int" | "ints" | "bigint" => "integer",
        "env" | "envs" => "environment",
        "var" | "vars" => "variable",
        "e-mail" | "e-mails" | "mail" | "mails" => "email",
        "db" => "database",
        "config" | "configs" | "settings" => "configuration",
        "auth" => "authentication",
        "dep" | "deps" => "dependency",
        "change" | "changes" | "changing" | "modify" | "modifies" | "alter" | "update" | "updates" | "rewrite" => {
            "edit"
        }
        "erase" | "erases" | "purge" | "purged" | "drop" | "drops" | "remove" | "removes" | "removed" => "delete",
        "print" | "prints" => "log",
        _ => return word.to_owned(),
    };
    one.to_owned()
}
