//! The shapes of Claude Code's records, as leniently as the real files need.
//!
//! No field is required and a field of an unexpected type counts as absent:
//! one odd value must not cost the record.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Longer messages are cut: each block takes many times the memory of its bytes.
pub const MOST_BLOCKS: usize = 10_000;
const MOST_HUNKS: usize = 100_000;

pub type Text<'a> = Lenient<Cow<'a, str>>;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaudeRecord<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub subtype: Text<'a>,
    #[serde(borrow)]
    pub uuid: Text<'a>,
    #[serde(borrow)]
    pub parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub logical_parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub session_id: Text<'a>,
    #[serde(borrow, alias = "timesstamp")]
    pub timestamp: Text<'a>,
    pub is_sidechain: Flag,
    pub is_meta: Flag,
    pub is_compact_summary: Flag,
    pub is_api_error_message: Flag,
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    #[serde(borrow)]
    pub agent_name: Text<'a>,
    #[serde(borrow)]
    pub team_name: Text<'a>,
    #[serde(borrow)]
    pub cwd: Text<'a>,
    #[serde(borrow)]
    pub version: Text<'a>,
    #[serde(borrow)]
    pub git_branch: Text<'a>,
    #[serde(borrow)]
    pub slug: Text<'a>,
    #[serde(borrow, rename = "sourceToolAssistantUUID")]
    pub source_tool_assistant: Text<'a>,
    #[serde(borrow, rename = "parentToolUseID")]
    pub parent_tool_use: Text<'a>,
    #[serde(borrow)]
    pub forked_from: Lenient<ForkedFrom<'a>>,
    #[serde(borrow)]
    pub message: MessageOrText<'a>,
    #[serde(borrow)]
    pub tool_use_result: ToolUseResult<'a>,
    #[serde(borrow)]
    pub data: Lenient<ProgressRecord<'a>>,
    #[serde(borrow)]
    pub compact_metadata: Lenient<CompactMetadata<'a>>,
    #[serde(borrow)]
    pub content: Content<'a>,
    #[serde(borrow)]
    pub operation: Text<'a>,
    #[serde(borrow)]
    pub summary: Text<'a>,
    #[serde(borrow)]
    pub leaf_uuid: Text<'a>,
    #[serde(borrow)]
    pub ai_title: Text<'a>,
    #[serde(borrow)]
    pub custom_title: Text<'a>,
    #[serde(borrow)]
    pub title: Text<'a>,
    #[serde(borrow)]
    pub pr_url: Text<'a>,
    #[serde(borrow)]
    pub attachment: Lenient<Attachment<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ForkedFrom<'a> {
    #[serde(borrow)]
    pub message_uuid: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct CompactMetadata<'a> {
    #[serde(borrow)]
    pub trigger: Text<'a>,
    pub pre_tokens: Lenient<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub prompt: Content<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ClaudeMessage<'a> {
    #[serde(borrow)]
    pub id: Text<'a>,
    #[serde(borrow)]
    pub model: Text<'a>,
    #[serde(borrow)]
    pub content: Content<'a>,
}

/// The content of a `progress` record. Sub-agent messages stay raw, because only new ones are parsed.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ProgressRecord<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    #[serde(borrow)]
    pub message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub normalized_messages: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ContentBlock<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub text: Text<'a>,
    #[serde(borrow)]
    pub thinking: Text<'a>,
    #[serde(borrow)]
    pub id: Text<'a>,
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub content: Content<'a>,
    pub is_error: Flag,
}

/// The host's own account of a tool result: the fields that the message does not repeat.
#[derive(Default)]
pub struct ToolUseResult<'a> {
    pub present: bool,
    pub fields: ResultFields<'a>,
    /// Some versions write the error as a plain string.
    pub text: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ResultFields<'a> {
    pub interrupted: Flag,
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    #[serde(borrow)]
    pub name: Text<'a>,
    pub structured_patch: Lenient<Vec<Lenient<Hunk>>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Hunk {
    pub old_start: Lenient<Number>,
    pub old_lines: Lenient<Number>,
    pub new_start: Lenient<Number>,
    pub new_lines: Lenient<Number>,
}

/// A value of the expected type, or nothing.
pub struct Lenient<T>(pub Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Lenient(None)
    }
}

impl Text<'_> {
    /// Empty strings say nothing.
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    pub fn owned(&self) -> Option<String> {
        self.get().map(str::to_owned)
    }
}

#[derive(Clone, Copy)]
pub struct Number(pub f64);

#[derive(Clone, Copy, Default)]
pub struct Flag(pub bool);

/// `message` is an object; in the oldest files it can be a bare string.
#[derive(Default)]
pub struct MessageOrText<'a>(pub ClaudeMessage<'a>);

/// Message content: a string, or blocks.
#[derive(Default)]
pub enum Content<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Blocks(Vec<ContentBlock<'a>>),
}

impl Content<'_> {
    /// Were blocks beyond the limit dropped?
    pub fn is_cut(&self) -> bool {
        matches!(self, Content::Blocks(blocks) if blocks.len() >= MOST_BLOCKS)
    }
}

/// Implements the visitor methods for shapes that count as absent.
macro_rules! ignore {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method<E: de::Error>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Default::default())
        })*
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
}

fn drain_seq<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn drain_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// The lenient form of one type: which JSON shapes it accepts.
pub trait FromShape<'de>: Sized {
    fn from_borrowed_str(_text: &'de str) -> Option<Self> {
        None
    }
    fn from_owned_str(_text: &str) -> Option<Self> {
        None
    }
    fn from_number(_number: f64) -> Option<Self> {
        None
    }
    fn from_seq<A: SeqAccess<'de>>(seq: A) -> Result<Option<Self>, A::Error> {
        drain_seq(seq).map(|()| None)
    }
    fn from_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
        drain_map(map).map(|()| None)
    }
}

impl<'de: 'a, 'a> FromShape<'de> for Cow<'a, str> {
    fn from_borrowed_str(text: &'de str) -> Option<Self> {
        Some(Cow::Borrowed(text))
    }
    fn from_owned_str(text: &str) -> Option<Self> {
        Some(Cow::Owned(text.to_owned()))
    }
}

impl FromShape<'_> for Number {
    fn from_number(number: f64) -> Option<Self> {
        Some(Number(number))
    }
}

macro_rules! from_map {
    ($($type:ident),*) => {$(
        impl<'de: 'a, 'a> FromShape<'de> for $type<'a> {
            fn from_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
                Self::deserialize(de::value::MapAccessDeserializer::new(map)).map(Some)
            }
        }
    )*};
}

from_map!(ForkedFrom, CompactMetadata, Attachment, ProgressRecord);

impl<'de> FromShape<'de> for Hunk {
    fn from_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(de::value::MapAccessDeserializer::new(map)).map(Some)
    }
}

impl<'de, T: FromShape<'de>> FromShape<'de> for Vec<Lenient<T>> {
    fn from_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self>, A::Error> {
        let mut items = Vec::new();
        while items.len() < MOST_HUNKS
            && let Some(item) = seq.next_element()?
        {
            items.push(item);
        }
        drain_seq(seq)?;
        Ok(Some(items))
    }
}

impl<'de, T: FromShape<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: FromShape<'de>> Visitor<'de> for Any<T> {
            type Value = Lenient<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Lenient(T::from_borrowed_str(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Lenient(T::from_owned_str(text)))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Lenient(T::from_number(number as f64)))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Lenient(T::from_number(number as f64)))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(Lenient(T::from_number(number)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                T::from_seq(seq).map(Lenient)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::from_map(map).map(Lenient)
            }
            ignore!(visit_bool: bool);
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;
        impl<'de> Visitor<'de> for FlagVisitor {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Flag, E> {
                Ok(Flag(flag))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Flag, A::Error> {
                drain_seq(seq).map(|()| Flag(false))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Flag, A::Error> {
                drain_map(map).map(|()| Flag(false))
            }
            ignore!(visit_str: &str, visit_u64: u64, visit_i64: i64, visit_f64: f64);
        }
        deserializer.deserialize_any(FlagVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Any<'a> {
            type Value = Content<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while blocks.len() < MOST_BLOCKS
                    && let Some(BlockOrText(block)) = seq.next_element()?
                {
                    blocks.extend(block);
                }
                drain_seq(seq)?;
                Ok(Content::Blocks(blocks))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let block = ContentBlock::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Content::Blocks(vec![block]))
            }
            ignore!(visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// An element of a content list; a bare string is a text block.
struct BlockOrText<'a>(Option<ContentBlock<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for BlockOrText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let block = match Content::deserialize(deserializer)? {
            Content::None => None,
            Content::Text(text) => {
                let kind = Lenient(Some(Cow::Borrowed("text")));
                Some(ContentBlock { kind, text: Lenient(Some(text)), ..ContentBlock::default() })
            }
            Content::Blocks(mut blocks) => blocks.pop(),
        };
        Ok(BlockOrText(block))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MessageOrText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Any<'a> {
            type Value = MessageOrText<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                let content = Content::Text(Cow::Borrowed(text));
                Ok(MessageOrText(ClaudeMessage { content, ..ClaudeMessage::default() }))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let content = Content::Text(Cow::Owned(text.to_owned()));
                Ok(MessageOrText(ClaudeMessage { content, ..ClaudeMessage::default() }))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                drain_seq(seq).map(|()| MessageOrText::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                ClaudeMessage::deserialize(de::value::MapAccessDeserializer::new(map)).map(MessageOrText)
            }
            ignore!(visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ToolUseResult<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Any<'a> {
            type Value = ToolUseResult<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(ToolUseResult { present: true, text: Some(Cow::Borrowed(text)), ..ToolUseResult::default() })
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ToolUseResult { present: true, text: Some(Cow::Owned(text.to_owned())), ..ToolUseResult::default() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                drain_seq(seq).map(|()| ToolUseResult { present: true, ..ToolUseResult::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let fields = ResultFields::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(ToolUseResult { present: true, fields, text: None })
            }
            ignore!(visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_types_cost_a_field_not_the_record() -> Result<(), serde_json::Error> {
        let record: ClaudeRecord<'_> = serde_json::from_str(
            r#"{"type":"user","uuid":7,"isMeta":"no","timestamp":null,"message":{"content":["bare",{"type":"text","text":"x"},5,null]},
                "toolUseResult":[{"a":1}],"data":3,"forkedFrom":[],"compactMetadata":{"preTokens":"many"}}"#,
        )?;
        assert_eq!(record.kind.get(), Some("user"));
        assert!(record.uuid.get().is_none() && !record.is_meta.0 && record.tool_use_result.present);
        let Content::Blocks(blocks) = &record.message.0.content else { panic!("blocks expected") };
        let texts: Vec<_> = blocks.iter().filter_map(|block| block.text.get()).collect();
        assert_eq!(texts, ["bare", "x"]);
        Ok(())
    }

    #[test]
    fn escaped_text_is_unescaped() -> Result<(), serde_json::Error> {
        let record: ClaudeRecord<'_> =
            serde_json::from_str(r#"{"message":{"content":"a\n\"b\""},"toolUseResult":"Error: \"x\""}"#)?;
        let Content::Text(text) = &record.message.0.content else { panic!("text expected") };
        assert_eq!(text, "a\n\"b\"");
        assert_eq!(record.tool_use_result.text.as_deref(), Some("Error: \"x\""));
        Ok(())
    }
}
