pub struct Redactor;
pub struct Secret {
    pub kind: Kind,
}
pub struct Kind;
impl Kind {
    pub fn name(&self) -> &'static str {
        ""
    }
}
pub struct Redacted<'a> {
    pub text: std::borrow::Cow<'a, str>,
    pub found: Vec<Secret>,
}
impl Redactor {
    pub fn new() -> Self {
        Redactor
    }
    pub fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        Redacted { text: text.into(), found: vec![] }
    }
}
