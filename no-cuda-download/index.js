/**
 * @file Stands in for `global-agent`, which onnxruntime-node's install script loads first: the script ends here.
 *
 * That script downloads CUDA's libraries (300 MB) and fails behind a firewall. `ignore-scripts` in .npmrc would skip it, but
 * also `prepack`, and `npm pack` would give a package without the program.
 */

exports.bootstrap = () => process.exit(0);
