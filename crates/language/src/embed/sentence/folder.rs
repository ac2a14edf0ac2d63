//! Which model is in this folder, and is it supported?

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::embed::{EmbedError, PieceVocabulary};

/// What config.json says about the model's shape.
#[derive(Deserialize)]
pub(super) struct ModelConfig {
    pub model_type: String,
    #[serde(rename = "hidden_size")]
    pub hidden: usize,
    #[serde(rename = "num_hidden_layers")]
    pub layers: usize,
    #[serde(rename = "num_attention_heads")]
    pub heads: usize,
    #[serde(rename = "intermediate_size")]
    pub inner: usize,
    #[serde(rename = "max_position_embeddings")]
    pub positions: usize,
    pub layer_norm_eps: f32,
    pub hidden_act: String,
    #[serde(default = "absolute")]
    pub position_embedding_type: String,
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// A folder with a model; the caller provides the function that reads its files.
#[derive(Clone, Copy)]
pub(super) struct ModelFolder<'a> {
    pub path: &'a Path,
    pub read: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
}

impl ModelFolder<'_> {
    pub(super) fn bytes(&self, path: &Path) -> Result<Vec<u8>, EmbedError> {
        (self.read)(path).map_err(|source| EmbedError::Unreadable { path: path.to_owned(), source })
    }

    fn text(&self, path: &Path) -> Result<String, EmbedError> {
        String::from_utf8(self.bytes(path)?).map_err(|error| damaged(path, &error))
    }
}

/// Reads config.json, and refuses models that would run but give wrong vectors.
pub(super) fn read_config(folder: ModelFolder<'_>) -> Result<ModelConfig, EmbedError> {
    let path = folder.path.join("config.json");
    let config: ModelConfig = serde_json::from_str(&folder.text(&path)?).map_err(|error| damaged(&path, &error))?;
    let wrong = [
        (config.model_type != "bert", format!("its type is {}, not bert", config.model_type)),
        (config.hidden_act != "gelu", format!("its activation is {}, not gelu", config.hidden_act)),
        (config.position_embedding_type != "absolute", "its positions are not absolute".to_owned()),
        (
            config.heads == 0 || !config.hidden.is_multiple_of(config.heads.max(1)),
            "its heads are of uneven width".to_owned(),
        ),
        (config.hidden == 0 || config.inner == 0 || config.positions < 3, "it has no room for a text".to_owned()),
    ];
    if let Some((_, reason)) = wrong.into_iter().find(|(wrong, _)| *wrong) {
        return Err(EmbedError::Unsupported { path, reason });
    }
    refuse_where(folder, "1_Pooling/config.json", "pooling_mode_mean_tokens", false, "it does not pool by the mean")?;
    refuse_where(folder, "tokenizer_config.json", "do_lower_case", false, "it keeps upper case")?;
    Ok(config)
}

/// These files are optional; they matter only if they contradict our assumptions.
fn refuse_where(folder: ModelFolder<'_>, file: &str, key: &str, refused: bool, reason: &str) -> Result<(), EmbedError> {
    let path = folder.path.join(file);
    let Ok(text) = folder.text(&path) else { return Ok(()) };
    let settings: Value = serde_json::from_str(&text).map_err(|error| damaged(&path, &error))?;
    if settings.get(key).and_then(Value::as_bool) == Some(refused) {
        return Err(EmbedError::Unsupported { path, reason: reason.to_owned() });
    }
    Ok(())
}

/// The vocabulary and the file it came from: vocab.txt, or else tokenizer.json.
pub(super) fn read_vocabulary(folder: ModelFolder<'_>) -> Result<(PieceVocabulary, PathBuf), EmbedError> {
    let path = folder.path.join("vocab.txt");
    match folder.text(&path) {
        Err(EmbedError::Unreadable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
        text => {
            let text = text?;
            let pieces: Vec<&str> = text.lines().collect();
            return Ok((PieceVocabulary::new(&pieces), path));
        }
    }
    let path = folder.path.join("tokenizer.json");
    let tokenizer: Value = serde_json::from_str(&folder.text(&path)?).map_err(|error| damaged(&path, &error))?;
    let listed = tokenizer.pointer("/model/vocab").and_then(Value::as_object);
    let listed = listed.ok_or_else(|| damaged(&path, &"it has no model.vocab"))?;
    let mut pieces = vec![""; listed.len()];
    for (piece, id) in listed {
        let place = id.as_u64().and_then(|id| pieces.get_mut(id as usize));
        *place.ok_or_else(|| damaged(&path, &"its ids have gaps"))? = piece;
    }
    Ok((PieceVocabulary::new(&pieces), path))
}

fn damaged(path: &Path, reason: &dyn std::fmt::Display) -> EmbedError {
    EmbedError::Damaged { path: path.to_owned(), reason: reason.to_string() }
}
