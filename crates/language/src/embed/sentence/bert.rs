//! The network: word pieces -> one state per piece.
//!
//! Texts are concatenated without padding, and share only matrix products, which treat rows separately. So the vector
//! of a text does not depend on the other texts of the batch.

use rten_gemm::GemmExecutor;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{Gelu, Softmax};

use super::folder::ModelConfig;
use super::linear::{Linear, Norm, matrix, multiply};
use super::weights::{TensorFault, Tensors};

/// The weights of a BERT encoder, ready to be multiplied.
pub(super) struct Bert {
    hidden: usize,
    heads: usize,
    words: Vec<f32>,
    /// The token type is the same for all pieces, so its vector is added in beforehand.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    gemm: GemmExecutor,
}

struct Layer {
    /// Concatenated: one product instead of three.
    query_key_value: Linear,
    attended: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    output_norm: Norm,
}

impl Bert {
    pub(super) fn load(tensors: &Tensors, config: &ModelConfig, pieces: usize) -> Result<Self, TensorFault> {
        let ModelConfig { hidden, heads, positions, layer_norm_eps, .. } = *config;
        let gemm = GemmExecutor::new();
        let words = tensors.get("embeddings.word_embeddings.weight", &[pieces, hidden])?;
        let mut positions = tensors.get("embeddings.position_embeddings.weight", &[positions, hidden])?;
        let token_types = tensors.get("embeddings.token_type_embeddings.weight", &[2, hidden])?;
        for position in positions.chunks_exact_mut(hidden) {
            add(position, &token_types[..hidden]);
        }
        let norm = Norm::load(tensors, "embeddings.LayerNorm", hidden, layer_norm_eps)?;
        let layers =
            (0..config.layers).map(|layer| Layer::load(tensors, config, layer, &gemm)).collect::<Result<_, _>>()?;
        Ok(Self { hidden, heads, words, positions, norm, layers, gemm })
    }

    pub(super) fn hidden(&self) -> usize {
        self.hidden
    }

    /// In pieces, including the special ones.
    pub(super) fn longest_text(&self) -> usize {
        self.positions.len() / self.hidden
    }

    /// The last hidden state of each piece of each text, concatenated.
    pub(super) fn forward(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let mut states: Vec<f32> = texts.iter().flat_map(|text| self.embeddings(text)).collect();
        self.norm.apply(&mut states);
        for layer in &self.layers {
            let attended = self.attention(layer, &states, texts);
            add(&mut states, &layer.attended.apply(&self.gemm, &attended));
            layer.attention_norm.apply(&mut states);
            let mut inner = layer.up.apply(&self.gemm, &states);
            Gelu {}.map_mut(&mut inner);
            add(&mut states, &layer.down.apply(&self.gemm, &inner));
            layer.output_norm.apply(&mut states);
        }
        states
    }

    fn embeddings(&self, text: &[u32]) -> Vec<f32> {
        let mut states = self.positions[..text.len() * self.hidden].to_vec();
        for (state, &id) in states.chunks_exact_mut(self.hidden).zip(text) {
            add(state, &self.words[id as usize * self.hidden..][..self.hidden]);
        }
        states
    }

    fn attention(&self, layer: &Layer, states: &[f32], texts: &[Vec<u32>]) -> Vec<f32> {
        let joined = layer.query_key_value.apply(&self.gemm, states);
        let mut attended = vec![0.0; states.len()];
        let mut start = 0;
        for text in texts {
            let end = start + text.len() * self.hidden;
            self.attention_in_text(&joined[3 * start..3 * end], &mut attended[start..end]);
            start = end;
        }
        attended
    }

    fn attention_in_text(&self, joined: &[f32], attended: &mut [f32]) {
        let hidden = self.hidden;
        let width = hidden / self.heads;
        let scale = 1.0 / (width as f32).sqrt();
        let pieces = attended.len() / hidden;
        let mut scores = vec![0.0; pieces * pieces];
        let mut mixed = vec![0.0; pieces * width];
        for head in 0..self.heads {
            let part = |which: usize| matrix(&joined[which * hidden + head * width..], pieces, width, 3 * hidden);
            let [query, key, value] = [0, 1, 2].map(part);
            multiply(&self.gemm, &mut scores, query, key.transposed(), scale);
            for row in scores.chunks_exact_mut(pieces) {
                Softmax::new_mut(row).dispatch();
            }
            multiply(&self.gemm, &mut mixed, matrix(&scores, pieces, pieces, pieces), value, 1.0);
            for (to, from) in attended.chunks_exact_mut(hidden).zip(mixed.chunks_exact(width)) {
                to[head * width..][..width].copy_from_slice(from);
            }
        }
    }
}

impl Layer {
    fn load(tensors: &Tensors, config: &ModelConfig, layer: usize, gemm: &GemmExecutor) -> Result<Self, TensorFault> {
        let ModelConfig { hidden, inner, layer_norm_eps, .. } = *config;
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let linear = |parts: &[&str], from, to| {
            let names: Vec<String> = parts.iter().map(|part| name(part)).collect();
            Linear::load(tensors, &names, from, to, gemm)
        };
        let norm = |part| Norm::load(tensors, &name(part), hidden, layer_norm_eps);
        let self_attention = ["attention.self.query", "attention.self.key", "attention.self.value"];
        Ok(Self {
            query_key_value: linear(&self_attention, hidden, hidden)?,
            attended: linear(&["attention.output.dense"], hidden, hidden)?,
            attention_norm: norm("attention.output.LayerNorm")?,
            up: linear(&["intermediate.dense"], hidden, inner)?,
            down: linear(&["output.dense"], inner, hidden)?,
            output_norm: norm("output.LayerNorm")?,
        })
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
