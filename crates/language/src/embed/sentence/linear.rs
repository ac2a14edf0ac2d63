//! The two building blocks of the network: a matrix product with a bias, and layer norm.

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::SimdOp;
use rten_tensor::Matrix;
use rten_vecmath::{Normalize, NormalizeOptions, Sum, SumSquareSub};

use super::weights::{TensorFault, Tensors};

/// Rows times weights plus bias.
pub(super) struct Linear {
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Loads layers that share their input, to be applied as one: `names` side by side, each from `from` to `to` values.
    pub(super) fn load(
        tensors: &Tensors,
        names: &[String],
        from: usize,
        to: usize,
        gemm: &GemmExecutor,
    ) -> Result<Self, TensorFault> {
        let mut weights = Vec::new();
        let mut bias = Vec::new();
        for name in names {
            weights.extend(tensors.get(&format!("{name}.weight"), &[to, from])?);
            bias.extend(tensors.get(&format!("{name}.bias"), &[to])?);
        }
        let weights = gemm.prepack_b(matrix(&weights, bias.len(), from, from).transposed());
        Ok(Self { weights, bias })
    }

    pub(super) fn apply(&self, gemm: &GemmExecutor, rows: &[f32]) -> Vec<f32> {
        let from = self.weights.rows();
        let count = rows.len() / from;
        let mut out = vec![0.0; count * self.bias.len()];
        let bias = Some(BiasVector::Row(&self.bias));
        let rows = GemmInputA::Unpacked(matrix(rows, count, from, from));
        gemm.gemm(&mut out, rows, GemmInputB::Packed(&self.weights), GemmOptions { bias, ..GemmOptions::default() })
            .expect("the shapes were checked when the weights were loaded");
        out
    }
}

/// out = scale · a · b
pub(super) fn multiply(gemm: &GemmExecutor, out: &mut [f32], a: Matrix, b: Matrix, scale: f32) {
    let options = GemmOptions { alpha: scale, ..GemmOptions::default() };
    gemm.gemm(out, GemmInputA::Unpacked(a), GemmInputB::Unpacked(b), options).expect("the shapes fit");
}

/// A matrix whose rows start `stride` values apart.
pub(super) fn matrix(values: &[f32], rows: usize, columns: usize, stride: usize) -> Matrix<'_> {
    Matrix::from_slice_with_strides([rows, columns], values, [stride, 1]).expect("the values reach to the last row")
}

/// Brings each row to mean 0 and variance 1, then scales and shifts it.
pub(super) struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    pub(super) fn load(tensors: &Tensors, name: &str, width: usize, epsilon: f32) -> Result<Self, TensorFault> {
        let scale = tensors.get(&format!("{name}.weight"), &[width])?;
        let bias = tensors.get(&format!("{name}.bias"), &[width])?;
        Ok(Self { scale, bias, epsilon })
    }

    pub(super) fn apply(&self, rows: &mut [f32]) {
        let width = self.scale.len() as f32;
        for row in rows.chunks_exact_mut(self.scale.len()) {
            let mean = Sum::new(row).dispatch() / width;
            let variance = SumSquareSub::new(row, mean).dispatch() / width;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: 1.0 / (variance + self.epsilon).sqrt(),
                element_scale: Some(&self.scale),
                bias: 0.0,
                element_bias: Some(&self.bias),
            };
            Normalize::new_mut(row, options).dispatch();
        }
    }
}
