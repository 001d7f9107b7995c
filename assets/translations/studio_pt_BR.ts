<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="pt_BR" sourcelanguage="en">
<context>
    <name>AboutSection</name>
    <message>
        <source>About this dataset</source>
        <translation>Sobre este conjunto de dados</translation>
    </message>
    <message>
        <source>An audit makes it.</source>
        <translation>Uma auditoria a cria.</translation>
    </message>
    <message>
        <source>Files skipped by the import</source>
        <translation>Arquivos ignorados na importação</translation>
    </message>
    <message>
        <source>Images excluded since</source>
        <translation>Imagens deixadas de fora depois</translation>
    </message>
    <message>
        <source>Images from</source>
        <translation>Imagens de</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>Importado</translation>
    </message>
    <message>
        <source>Mean image</source>
        <translation>Imagem média</translation>
    </message>
    <message>
        <source>No run has used it yet.</source>
        <translation>Nenhum treino o usou ainda.</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Notes: origin, purpose…</source>
        <translation>Notas: origem, finalidade…</translation>
    </message>
    <message>
        <source>Number of images or range of values. Rare classes are hard to learn.</source>
        <translation>Número de imagens ou faixa de valores. Classes raras são difíceis de aprender.</translation>
    </message>
    <message>
        <source>On the disk</source>
        <translation>No disco</translation>
    </message>
    <message>
        <source>Renames the selected class or target</source>
        <translation>Renomeia a classe ou o alvo selecionado</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Renomear…</translation>
    </message>
    <message>
        <source>Runs on this dataset</source>
        <translation>Treinos com este conjunto de dados</translation>
    </message>
    <message>
        <source>Saved with the dataset.</source>
        <translation>Salvas com o conjunto de dados.</translation>
    </message>
    <message>
        <source>Select a line first</source>
        <translation>Selecione uma linha primeiro</translation>
    </message>
</context>
<context>
    <name>ActiveJobs</name>
    <message>
        <source>Running now</source>
        <translation>Em execução agora</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Em espera</translation>
    </message>
</context>
<context>
    <name>AddValues</name>
    <message>
        <source>Add</source>
        <translation>Adicionar</translation>
    </message>
    <message>
        <source>Add to this sweep</source>
        <translation>Adicionar a esta varredura</translation>
    </message>
    <message>
        <source>Adds the new values and keeps all existing trials.</source>
        <translation>Adiciona os novos valores e mantém todas as tentativas existentes.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Enter values, trials or hours to add.</source>
        <translation>Informe valores, tentativas ou horas a adicionar.</translation>
    </message>
    <message>
        <source>Existing trials are kept. A finished sweep continues.</source>
        <translation>As tentativas existentes são mantidas. Uma varredura concluída continua.</translation>
    </message>
    <message>
        <source>Fix the marked fields first.</source>
        <translation>Corrija primeiro os campos marcados.</translation>
    </message>
    <message>
        <source>Leaves the sweep unchanged.</source>
        <translation>Não altera a varredura.</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>Solicitado</translation>
    </message>
</context>
<context>
    <name>AddressRow</name>
    <message>
        <source>A page that lists class folders, or an archive (zip, tar, npz, h5…).</source>
        <translation>Uma página que lista pastas de classes, ou um pacote compactado (zip, tar, npz, h5…).</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Endereço</translation>
    </message>
    <message>
        <source>Credentials come from the environment or an AWS profile and are not stored.</source>
        <translation>As credenciais vêm do ambiente ou de um perfil da AWS e não são salvas.</translation>
    </message>
    <message>
        <source>Enter an address first</source>
        <translation>Informe um endereço primeiro</translation>
    </message>
    <message>
        <source>For images on the web or in cloud storage.</source>
        <translation>Para imagens na web ou em armazenamento na nuvem.</translation>
    </message>
    <message>
        <source>Kind of address</source>
        <translation>Tipo de endereço</translation>
    </message>
    <message>
        <source>Only for storage that is not Amazon's own.</source>
        <translation>Só para armazenamento que não seja da própria Amazon.</translation>
    </message>
    <message>
        <source>Only if the server cannot detect it.</source>
        <translation>Só se o servidor não conseguir detectá-la.</translation>
    </message>
    <message>
        <source>Region of S3</source>
        <translation>Região S3</translation>
    </message>
    <message>
        <source>Region, if needed</source>
        <translation>Região, se necessário</translation>
    </message>
    <message>
        <source>S3 bucket</source>
        <translation>Bucket S3</translation>
    </message>
    <message>
        <source>S3 needs a package: {line}</source>
        <translation>O S3 precisa de um pacote: {line}</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Server of S3</source>
        <translation>Servidor S3</translation>
    </message>
    <message>
        <source>Server, if not Amazon's: https://minio…</source>
        <translation>Servidor, se não for o da Amazon: https://minio…</translation>
    </message>
    <message>
        <source>The images are read once and never changed.</source>
        <translation>As imagens são lidas uma vez e nunca alteradas.</translation>
    </message>
    <message>
        <source>Web address</source>
        <translation>Endereço da web</translation>
    </message>
</context>
<context>
    <name>AnswerBars</name>
    <message>
        <source>Correct class: {label}. Add to the review queue</source>
        <translation>Classe correta: {label}. Adicionar à fila de revisão</translation>
    </message>
</context>
<context>
    <name>AnswerPanel</name>
    <message>
        <source>Answer</source>
        <translation>Resposta</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>Não pode ser lida</translation>
    </message>
    <message>
        <source>Network input</source>
        <translation>Entrada da rede</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Sem resposta</translation>
    </message>
    <message>
        <source>Runs the model again.</source>
        <translation>Executa o modelo novamente.</translation>
    </message>
    <message>
        <source>The prediction will appear here.</source>
        <translation>A previsão aparecerá aqui.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Tentar de novo</translation>
    </message>
    <message>
        <source>color</source>
        <translation>em cores</translation>
    </message>
    <message>
        <source>gray</source>
        <translation>em cinza</translation>
    </message>
</context>
<context>
    <name>AuditFigures</name>
    <message>
        <source>Brightness</source>
        <translation>Brilho</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Contraste</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>Desvio</translation>
    </message>
    <message>
        <source>File height</source>
        <translation>Altura do arquivo</translation>
    </message>
    <message>
        <source>File width</source>
        <translation>Largura do arquivo</translation>
    </message>
    <message>
        <source>Mean color</source>
        <translation>Cor média</translation>
    </message>
    <message>
        <source>Statistics of all images</source>
        <translation>Estatísticas de todas as imagens</translation>
    </message>
</context>
<context>
    <name>AugmentationCard</name>
    <message>
        <source>Augmentation</source>
        <translation>Aumento de dados</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Personalizado</translation>
    </message>
    <message>
        <source>Strength of the random changes of images in each epoch.</source>
        <translation>Intensidade das mudanças aleatórias das imagens em cada época.</translation>
    </message>
    <message>
        <source>Your own settings.</source>
        <translation>Suas próprias configurações.</translation>
    </message>
    <message>
        <source>gray images</source>
        <translation>imagens em cinza</translation>
    </message>
</context>
<context>
    <name>AugmentationForm</name>
    <message>
        <source>All changes combined</source>
        <translation>Todas as mudanças combinadas</translation>
    </message>
    <message>
        <source>Blur, noise, gaps</source>
        <translation>Desfoque, ruído, falhas</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Flips and turns</source>
        <translation>Espelhamentos e rotações</translation>
    </message>
    <message>
        <source>Inside the network</source>
        <translation>Dentro da rede</translation>
    </message>
    <message>
        <source>Light and color</source>
        <translation>Luz e cor</translation>
    </message>
    <message>
        <source>Mixed images</source>
        <translation>Imagens misturadas</translation>
    </message>
    <message>
        <source>Size and position</source>
        <translation>Tamanho e posição</translation>
    </message>
</context>
<context>
    <name>AugmentationPreview</name>
    <message>
        <source>Another epoch</source>
        <translation>Outra época</translation>
    </message>
    <message>
        <source>Augmented</source>
        <translation>Aumentadas</translation>
    </message>
    <message>
        <source>Augmented images</source>
        <translation>Imagens aumentadas</translation>
    </message>
    <message>
        <source>Changes made by layers of the network are not shown.</source>
        <translation>As mudanças feitas por camadas da rede não são mostradas.</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Seed {seed}, epoch {epoch}</source>
        <translation>Semente {seed}, época {epoch}</translation>
    </message>
    <message>
        <source>Shows the same images in another epoch.</source>
        <translation>Mostra as mesmas imagens em outra época.</translation>
    </message>
    <message>
        <source>The dataset has no training images.</source>
        <translation>O conjunto de dados não tem imagens de treino.</translation>
    </message>
    <message>
        <source>These images are mixed with each other like a batch.</source>
        <translation>Estas imagens são misturadas entre si como em um lote.</translation>
    </message>
    <message>
        <source>{name}, augmented</source>
        <translation>{name}, aumentada</translation>
    </message>
    <message>
        <source>{name}, original</source>
        <translation>{name}, original</translation>
    </message>
</context>
<context>
    <name>BaseCard</name>
    <message>
        <source>Copies all settings of an earlier run.</source>
        <translation>Copia todas as configurações de um treino anterior.</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Like the run</source>
        <translation>Como o treino</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>No run: use the settings below</source>
        <translation>Nenhum treino: usar as configurações abaixo</translation>
    </message>
    <message>
        <source>The images that all runs of the sweep train on.</source>
        <translation>As imagens de treino de toda a varredura.</translation>
    </message>
    <message>
        <source>The network of all runs, unless the sweep varies it.</source>
        <translation>A rede de todos os treinos, a menos que a varredura a varie.</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>{name}, as in that run</source>
        <translation>{name}, como nesse treino</translation>
    </message>
</context>
<context>
    <name>BaselineCard</name>
    <message>
        <source>A linear model on features of a pretrained network, trained in seconds: the result to beat.</source>
        <translation>Um modelo linear com características de uma rede pré-treinada, treinado em segundos: o resultado a superar.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Cancels the baseline and discards it.</source>
        <translation>Cancela a linha de base e a descarta.</translation>
    </message>
    <message>
        <source>Choose a dataset first.</source>
        <translation>Escolha um conjunto de dados primeiro.</translation>
    </message>
    <message>
        <source>Estimates in about a minute, before any training, how accurate a linear model on pretrained features is on your images, and how much more images would help.</source>
        <translation>Estima em cerca de um minuto, antes de qualquer treino, a qualidade de um modelo linear com características pré-treinadas nas suas imagens e quanto mais imagens ajudariam.</translation>
    </message>
    <message>
        <source>For machines without internet: the weights as a file.</source>
        <translation>Para máquinas sem internet: os pesos em um arquivo.</translation>
    </message>
    <message>
        <source>Instant baseline</source>
        <translation>Linha de base imediata</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Medir de novo</translation>
    </message>
    <message>
        <source>Measured before the latest edits of the dataset.</source>
        <translation>Medido antes das últimas edições do conjunto de dados.</translation>
    </message>
    <message>
        <source>Trains a model with this network, these weights and a linear head.</source>
        <translation>Treina um modelo com esta rede, estes pesos e uma cabeça linear.</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>Usar isto</translation>
    </message>
    <message>
        <source>Use this ({score})</source>
        <translation>Usar isto ({score})</translation>
    </message>
    <message>
        <source>Use weights from a file…</source>
        <translation>Usar pesos de um arquivo…</translation>
    </message>
    <message>
        <source>What is possible</source>
        <translation>O que é possível</translation>
    </message>
    <message>
        <source>{few} images: {low} · {many} images: {high}</source>
        <translation>{few} imagens: {low} · {many} imagens: {high}</translation>
    </message>
    <message>
        <source>{metric} by number of training images</source>
        <translation>{metric} por número de imagens de treino</translation>
    </message>
</context>
<context>
    <name>BenchPanel</name>
    <message>
        <source>Continues with the missing measurements.</source>
        <translation>Continua com as medições que faltam.</translation>
    </message>
    <message>
        <source>Repeats measurements that failed, timed out or ran out of memory.</source>
        <translation>Repete as medições que falharam, excederam o tempo ou ficaram sem memória.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Retomar</translation>
    </message>
    <message>
        <source>Retry failed</source>
        <translation>Repetir falhas</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Stops the benchmark. Finished measurements are kept.</source>
        <translation>Interrompe o benchmark. As medições concluídas são mantidas.</translation>
    </message>
    <message>
        <source>Views of the benchmark</source>
        <translation>Visualizações do benchmark</translation>
    </message>
</context>
<context>
    <name>BenchmarkForm</name>
    <message>
        <source>Fix the marked errors.</source>
        <translation>Corrija os erros marcados.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Medir</translation>
    </message>
    <message>
        <source>Name of the benchmark</source>
        <translation>Nome do benchmark</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>Solicitado</translation>
    </message>
</context>
<context>
    <name>BestView</name>
    <message>
        <source>Best so far</source>
        <translation>Melhor até agora</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>Tentativa</translation>
    </message>
</context>
<context>
    <name>BrowserGrid</name>
    <message>
        <source>At most {n} images can be dragged at a time.</source>
        <translation>No máximo {n} imagens podem ser arrastadas de uma vez.</translation>
    </message>
    <message>
        <source>The files of these images no longer exist.</source>
        <translation>Os arquivos destas imagens não existem mais.</translation>
    </message>
</context>
<context>
    <name>BugReport</name>
    <message>
        <source>Copy the report</source>
        <translation>Copiar o relatório</translation>
    </message>
    <message>
        <source>Internal error</source>
        <translation>Erro interno</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Relatório</translation>
    </message>
</context>
<context>
    <name>CacheGroup</name>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source> MB</source>
        <translation> MB</translation>
    </message>
    <message>
        <source> min</source>
        <translation> min</translation>
    </message>
    <message>
        <source>Archives and lists from which datasets were imported.</source>
        <translation>Arquivos compactados e listas de onde conjuntos de dados foram importados.</translation>
    </message>
    <message>
        <source>Cache of image features</source>
        <translation>Cache de características de imagens</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Caches</translation>
    </message>
    <message>
        <source>Close the prediction engine after</source>
        <translation>Encerrar o motor de previsão após</translation>
    </message>
    <message>
        <source>Deleted datasets, runs and other records of this workspace.</source>
        <translation>Conjuntos de dados, treinos e outros registros excluídos deste espaço de trabalho.</translation>
    </message>
    <message>
        <source>Downloaded data</source>
        <translation>Dados baixados</translation>
    </message>
    <message>
        <source>Downloaded weights</source>
        <translation>Pesos baixados</translation>
    </message>
    <message>
        <source>Empty now</source>
        <translation>Esvaziar agora</translation>
    </message>
    <message>
        <source>Empty now: {what}</source>
        <translation>Esvaziar agora: {what}</translation>
    </message>
    <message>
        <source>Features of images</source>
        <translation>Características das imagens</translation>
    </message>
    <message>
        <source>Frees its memory when it is idle. The next prediction takes a few seconds longer.</source>
        <translation>Libera a memória quando está ocioso. A próxima previsão leva alguns segundos a mais.</translation>
    </message>
    <message>
        <source>Memory for thumbnails in each view, for fast scrolling.</source>
        <translation>Memória para miniaturas em cada vista, para rolar depressa.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nunca</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Open the trash</source>
        <translation>Abrir a lixeira</translation>
    </message>
    <message>
        <source>Pictures in memory</source>
        <translation>Imagens na memória</translation>
    </message>
    <message>
        <source>Reading the limits of the workspace…</source>
        <translation>Lendo os limites do espaço de trabalho…</translation>
    </message>
    <message>
        <source>Stored in the workspace for baselines, maps and frozen networks.</source>
        <translation>Guardadas no espaço de trabalho para linhas de base, mapas e redes congeladas.</translation>
    </message>
    <message>
        <source>The cache is empty.</source>
        <translation>O cache está vazio.</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Lixeira</translation>
    </message>
    <message>
        <source>Weights of pretrained networks, downloaded again when needed.</source>
        <translation>Pesos de redes pré-treinadas, baixados de novo quando necessário.</translation>
    </message>
    <message>
        <source>disk space clear empty cache size</source>
        <translation>disco espaço limpar esvaziar cache tamanho</translation>
    </message>
    <message>
        <source>models memory idle unload minutes</source>
        <translation>modelos memória ocioso descarregar minutos</translation>
    </message>
    <message>
        <source>thumbnails memory size</source>
        <translation>miniaturas memória tamanho</translation>
    </message>
    <message>
        <source>{help} {size} now.</source>
        <translation>{help} Agora: {size}.</translation>
    </message>
</context>
<context>
    <name>Camera</name>
    <message>
        <source>Connect a camera and allow Studio to use it.</source>
        <translation>Conecte uma câmera e permita que o Studio a use.</translation>
    </message>
    <message>
        <source>No camera was found.</source>
        <translation>Nenhuma câmera foi encontrada.</translation>
    </message>
    <message>
        <source>The camera sends no pictures.</source>
        <translation>A câmera não envia imagens.</translation>
    </message>
</context>
<context>
    <name>CanvasScene</name>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>{0} layers</source>
        <translation>{0} camadas</translation>
    </message>
</context>
<context>
    <name>CanvasView</name>
    <message>
        <source>Drawing of the network</source>
        <translation>Desenho da rede</translation>
    </message>
    <message>
        <source>{count} layers from input to output: {layers}</source>
        <translation>{count} camadas, da entrada à saída: {layers}</translation>
    </message>
</context>
<context>
    <name>CertaintyTab</name>
    <message>
        <source>Above {limit}: {share} of the images are classified, {right} of them correctly. The other {left} are “unknown”.</source>
        <translation>Acima de {limit}: {share} das imagens são classificadas, {right} delas corretamente. As outras {left} são “desconhecidas”.</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>Acurácia</translation>
    </message>
    <message>
        <source>Accuracy by confidence</source>
        <translation>Acurácia por confiança</translation>
    </message>
    <message>
        <source>Accuracy by coverage</source>
        <translation>Acurácia por cobertura</translation>
    </message>
    <message>
        <source>Below the threshold</source>
        <translation>Abaixo do limiar</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiança</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Cobertura</translation>
    </message>
    <message>
        <source>Errors above the threshold, the most confident first</source>
        <translation>Erros acima do limiar, os de maior confiança primeiro</translation>
    </message>
    <message>
        <source>Fitted on {count} {split} images. It gives a calibration error of {error} and a loss of {loss}; predicted classes don't change.</source>
        <translation>Ajustada em {count} imagens de {split}. Resulta em um erro de calibração de {error} e uma perda de {loss}; as classes previstas não mudam.</translation>
    </message>
    <message>
        <source>Predictions below this probability count as “unknown”.</source>
        <translation>Previsões abaixo desta probabilidade contam como “desconhecidas”.</translation>
    </message>
    <message>
        <source>Predictions with a confidence of {low} to {high}, errors first</source>
        <translation>Previsões com confiança de {low} a {high}, erros primeiro</translation>
    </message>
    <message>
        <source>Show errors</source>
        <translation>Mostrar erros</translation>
    </message>
    <message>
        <source>Show unknown</source>
        <translation>Mostrar desconhecidas</translation>
    </message>
    <message>
        <source>Shows the images with a probability below the threshold.</source>
        <translation>Mostra as imagens com probabilidade abaixo do limiar.</translation>
    </message>
    <message>
        <source>Shows the misclassified images above the threshold.</source>
        <translation>Mostra as imagens classificadas incorretamente acima do limiar.</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Limiar</translation>
    </message>
    <message>
        <source>Uncalibrated</source>
        <translation>Sem calibração</translation>
    </message>
    <message>
        <source>With temperature {value}</source>
        <translation>Com temperatura {value}</translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>Imagem PNG (*.png)</translation>
    </message>
    <message>
        <source>SVG picture (*.svg)</source>
        <translation>Imagem SVG (*.svg)</translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation>Salvar o gráfico</translation>
    </message>
    <message>
        <source>The same data as in the chart, as a table.</source>
        <translation>Os mesmos dados do gráfico, em forma de tabela.</translation>
    </message>
    <message>
        <source>{title} as a table</source>
        <translation>{title} como tabela</translation>
    </message>
</context>
<context>
    <name>ChartHeader</name>
    <message>
        <source>Axis, copy, save</source>
        <translation>Eixo, copiar, salvar</translation>
    </message>
    <message>
        <source>Choose the metric of this chart</source>
        <translation>Escolhe a métrica deste gráfico</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Copiar como CSV</translation>
    </message>
    <message>
        <source>Logarithmic axis: {name}</source>
        <translation>Eixo logarítmico: {name}</translation>
    </message>
    <message>
        <source>Logarithmic values</source>
        <translation>Valores logarítmicos</translation>
    </message>
    <message>
        <source>Reset view</source>
        <translation>Redefinir a visão</translation>
    </message>
    <message>
        <source>Save PNG…</source>
        <translation>Salvar PNG…</translation>
    </message>
    <message>
        <source>Save SVG…</source>
        <translation>Salvar SVG…</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>Mostrar como tabela</translation>
    </message>
    <message>
        <source>Show everything (double click). Drag to zoom into a part, Shift-drag to move, turn the wheel to zoom.</source>
        <translation>Mostrar tudo (duplo clique). Arraste para ampliar uma parte, Shift e arrastar para mover, gire a roda para ampliar.</translation>
    </message>
    <message>
        <source>Show everything (double click). Drag to zoom into a part.</source>
        <translation>Mostra tudo (clique duplo). Arraste para ampliar uma parte.</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>Suavizar</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Suavização</translation>
    </message>
    <message>
        <source>Smoothing: {weight}</source>
        <translation>Suavização: {weight}</translation>
    </message>
    <message>
        <source>log</source>
        <translation>log</translation>
    </message>
</context>
<context>
    <name>ChoiceEditor</name>
    <message>
        <source>Automatic</source>
        <translation>Automático</translation>
    </message>
</context>
<context>
    <name>ChoiceMenu</name>
    <message>
        <source>Choose from a list</source>
        <translation>Escolher de uma lista</translation>
    </message>
</context>
<context>
    <name>ClassCard</name>
    <message>
        <source>Class {name}, {count} images</source>
        <translation>Classe {name}, {count} imagens</translation>
    </message>
    <message>
        <source>Shows the images of this class.</source>
        <translation>Mostra as imagens desta classe.</translation>
    </message>
    <message>
        <source>mean {value}</source>
        <translation>média {value}</translation>
    </message>
</context>
<context>
    <name>ClassChecks</name>
    <message>
        <source>All</source>
        <translation>Todas</translation>
    </message>
    <message>
        <source>Clears the selection of classes.</source>
        <translation>Limpa a seleção de classes.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Nenhuma</translation>
    </message>
    <message>
        <source>Ticks every class.</source>
        <translation>Marca todas as classes.</translation>
    </message>
</context>
<context>
    <name>ClassGallery</name>
    <message>
        <source>Rename…</source>
        <translation>Renomear…</translation>
    </message>
    <message>
        <source>Show all images</source>
        <translation>Mostrar todas as imagens</translation>
    </message>
    <message>
        <source>Show images</source>
        <translation>Mostrar imagens</translation>
    </message>
    <message>
        <source>Shows all images together, to search and correct them.</source>
        <translation>Mostra todas as imagens juntas, para procurar e corrigir.</translation>
    </message>
    <message>
        <source>Shows only classes whose name contains the text.</source>
        <translation>Mostra só as classes cujo nome contém o texto.</translation>
    </message>
</context>
<context>
    <name>ClassLegend</name>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Class colors. Clear a box to hide the class.</source>
        <translation>Cores das classes. Desmarque uma caixa para ocultar a classe.</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Ignored</source>
        <translation>Ignorado</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Proporção</translation>
    </message>
    <message>
        <source>{n} pixels</source>
        <translation>{n} pixels</translation>
    </message>
    <message>
        <source>{n} px · {share}</source>
        <translation>{n} px · {share}</translation>
    </message>
</context>
<context>
    <name>ClassMenu</name>
    <message>
        <source>Another class…</source>
        <translation>Outra classe…</translation>
    </message>
    <message>
        <source>Correct the answer</source>
        <translation>Corrigir a resposta</translation>
    </message>
    <message>
        <source>The picture shows</source>
        <translation>A imagem mostra</translation>
    </message>
</context>
<context>
    <name>ClassesTab</name>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>False positive rate</source>
        <translation>Taxa de falsos positivos</translation>
    </message>
    <message>
        <source>Metrics of each class. Choose one to see its curves.</source>
        <translation>Métricas de cada classe. Escolha uma para ver suas curvas.</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisão</translation>
    </message>
    <message>
        <source>Precision by recall: {average}</source>
        <translation>Precisão por revocação: {average}</translation>
    </message>
    <message>
        <source>ROC: {area} · {name}</source>
        <translation>ROC: {area} · {name}</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Revocação</translation>
    </message>
    <message>
        <source>True positive rate</source>
        <translation>Taxa de verdadeiros positivos</translation>
    </message>
    <message>
        <source>“{name}”: most confident mistakes first, then correct predictions</source>
        <translation>“{name}”: primeiro os erros mais confiantes, depois as previsões corretas</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Discard changes</source>
        <translation>Descartar alterações</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplicar</translation>
    </message>
    <message>
        <source>Freeze up to here</source>
        <translation>Congelar até aqui</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Nota</translation>
    </message>
    <message>
        <source>Nothing to redo</source>
        <translation>Nada a refazer</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>Nada a desfazer</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Colar</translation>
    </message>
    <message>
        <source>Select a layer first</source>
        <translation>Selecione uma camada primeiro</translation>
    </message>
    <message>
        <source>There is no backbone in the drawing</source>
        <translation>Não há backbone no desenho</translation>
    </message>
    <message>
        <source>There is nothing to save</source>
        <translation>Não há nada a salvar</translation>
    </message>
</context>
<context>
    <name>CompareButton</name>
    <message>
        <source>Another run…</source>
        <translation>Outro treino…</translation>
    </message>
    <message>
        <source>At most {count} models at a time.</source>
        <translation>No máximo {count} modelos de uma vez.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Show the predictions of other models for the same picture</source>
        <translation>Mostrar as previsões de outros modelos para a mesma imagem</translation>
    </message>
    <message>
        <source>There is no other run with a model</source>
        <translation>Não há outro treino com um modelo</translation>
    </message>
</context>
<context>
    <name>CompareCharts</name>
    <message>
        <source>{run}, steps</source>
        <translation>{run}, passos</translation>
    </message>
    <message>
        <source>{run}, train</source>
        <translation>{run}, treino</translation>
    </message>
    <message>
        <source>{run}, val</source>
        <translation>{run}, validação</translation>
    </message>
</context>
<context>
    <name>CompareTab</name>
    <message>
        <source>Another model evaluated on the same images.</source>
        <translation>Outro modelo avaliado nas mesmas imagens.</translation>
    </message>
    <message>
        <source>Both right</source>
        <translation>Ambos acertam</translation>
    </message>
    <message>
        <source>Both wrong</source>
        <translation>Ambos erram</translation>
    </message>
    <message>
        <source>Choose another evaluation</source>
        <translation>Escolha outra avaliação</translation>
    </message>
    <message>
        <source>Evaluate another model on the same images to compare it with this one.</source>
        <translation>Avalie outro modelo nas mesmas imagens para compará-lo com este.</translation>
    </message>
    <message>
        <source>Only {name} right</source>
        <translation>Só {name} acerta</translation>
    </message>
    <message>
        <source>Other evaluation</source>
        <translation>Outra avaliação</translation>
    </message>
    <message>
        <source>Show the images</source>
        <translation>Mostrar as imagens</translation>
    </message>
    <message>
        <source>Shows these images.</source>
        <translation>Mostra estas imagens.</translation>
    </message>
</context>
<context>
    <name>CompareTargets</name>
    <message>
        <source>Chooses evaluations of other models on the same images.</source>
        <translation>Escolhe avaliações de outros modelos nas mesmas imagens.</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Comparar com</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Diferença</translation>
    </message>
    <message>
        <source>Evaluate another model on the same images to compare it with this one.</source>
        <translation>Avalie outro modelo nas mesmas imagens para compará-lo com este.</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Métrica</translation>
    </message>
    <message>
        <source>Metrics of each model, and their differences.</source>
        <translation>Métricas de cada modelo e suas diferenças.</translation>
    </message>
    <message>
        <source>Metrics of the models</source>
        <translation>Métricas dos modelos</translation>
    </message>
    <message>
        <source>With 95 % bootstrap intervals from the same resamples for both models. Differences of fractions are in percentage points.</source>
        <translation>Com intervalos bootstrap de 95 % das mesmas reamostras para os dois modelos. Diferenças de frações em pontos percentuais.</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>All runs</source>
        <translation>Todos os treinos</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Copiar como CSV</translation>
    </message>
    <message>
        <source>Differences between the runs</source>
        <translation>Diferenças entre os treinos</translation>
    </message>
    <message>
        <source>Double-click to open this run</source>
        <translation>Clique duas vezes para abrir este treino</translation>
    </message>
    <message>
        <source>Settings and metrics</source>
        <translation>Configurações e métricas</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Passos</translation>
    </message>
    <message>
        <source>The charts show the first {most} of them.</source>
        <translation>Os gráficos mostram os primeiros {most} deles.</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validação</translation>
    </message>
    <message>
        <source>best</source>
        <translation>melhor</translation>
    </message>
    <message>
        <source>{count} runs compared</source>
        <translation>{count} treinos comparados</translation>
    </message>
</context>
<context>
    <name>ComparisonCard</name>
    <message>
        <source>Image {n}: {what}</source>
        <translation>Imagem {n}: {what}</translation>
    </message>
    <message>
        <source>Show images</source>
        <translation>Mostrar imagens</translation>
    </message>
    <message>
        <source>Show images: {what}</source>
        <translation>Mostrar imagens: {what}</translation>
    </message>
    <message>
        <source>Show this image among those</source>
        <translation>Mostrar esta imagem entre as outras</translation>
    </message>
    <message>
        <source>The versions are identical.</source>
        <translation>As versões são idênticas.</translation>
    </message>
</context>
<context>
    <name>Confusion</name>
    <message>
        <source>Confusion</source>
        <translation>Confusão</translation>
    </message>
    <message>
        <source>Images of the cell</source>
        <translation>Imagens da célula</translation>
    </message>
    <message>
        <source>No images in this cell.</source>
        <translation>Nenhuma imagem nesta célula.</translation>
    </message>
    <message>
        <source>The dataset has no validation images.</source>
        <translation>O conjunto de dados não tem imagens de validação.</translation>
    </message>
</context>
<context>
    <name>ConfusionTab</name>
    <message>
        <source>All classes are shown.</source>
        <translation>Todas as classes estão visíveis.</translation>
    </message>
    <message>
        <source>Percent</source>
        <translation>Porcentagem</translation>
    </message>
    <message>
        <source>Percentage of the images of each true class</source>
        <translation>Porcentagem das imagens de cada classe verdadeira</translation>
    </message>
    <message>
        <source>Places classes that are confused next to each other</source>
        <translation>Coloca lado a lado as classes que são confundidas</translation>
    </message>
    <message>
        <source>Show all classes</source>
        <translation>Mostrar todas as classes</translation>
    </message>
    <message>
        <source>Sorted by confusion</source>
        <translation>Ordenadas por confusão</translation>
    </message>
    <message>
        <source>The smallest number of classes is shown.</source>
        <translation>O menor número de classes já é mostrado.</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Ampliar</translation>
    </message>
    <message>
        <source>Zoom in on the selected cell (mouse wheel)</source>
        <translation>Ampliar a célula selecionada (roda do mouse)</translation>
    </message>
</context>
<context>
    <name>ConfusionView</name>
    <message>
        <source>Confusion matrix</source>
        <translation>Matriz de confusão</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisão</translation>
    </message>
    <message>
        <source>Predicted class</source>
        <translation>Classe prevista</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Revocação</translation>
    </message>
    <message>
        <source>True \ predicted</source>
        <translation>Verdadeira \ prevista</translation>
    </message>
    <message>
        <source>True class</source>
        <translation>Classe verdadeira</translation>
    </message>
    <message>
        <source>{all} Most frequent error: {worst}.</source>
        <translation>{all} Erro mais frequente: {worst}.</translation>
    </message>
    <message>
        <source>{number} of {whole} “{truth}” predicted as “{predicted}” ({share})</source>
        <translation>{number} de {whole} “{truth}” previstas como “{predicted}” ({share})</translation>
    </message>
    <message>
        <source>{number} of {whole} “{truth}” predicted correctly ({share})</source>
        <translation>{number} de {whole} “{truth}” previstas corretamente ({share})</translation>
    </message>
    <message>
        <source>{right} of {whole} images in {classes} classes are correct.</source>
        <translation>{right} de {whole} imagens em {classes} classes estão corretas.</translation>
    </message>
    <message>
        <source>{value} (95 % interval {span})</source>
        <translation>{value} (intervalo de 95 %: {span})</translation>
    </message>
    <message>
        <source>“{name}”: no images</source>
        <translation>“{name}”: nenhuma imagem</translation>
    </message>
    <message>
        <source>“{name}”: precision {share} of {images} images predicted as it</source>
        <translation>“{name}”: precisão {share} de {images} imagens previstas como ela</translation>
    </message>
    <message>
        <source>“{name}”: recall {share} of {images} images of the class</source>
        <translation>“{name}”: revocação {share} de {images} imagens da classe</translation>
    </message>
</context>
<context>
    <name>ContourView</name>
    <message>
        <source>A contour plot needs several values of two numeric fields.</source>
        <translation>Um gráfico de contorno precisa de vários valores de dois campos numéricos.</translation>
    </message>
    <message>
        <source>A contour plot needs two numeric fields that vary.</source>
        <translation>Um gráfico de contorno precisa de dois campos numéricos que variem.</translation>
    </message>
    <message>
        <source>A contour plot needs {least} trials. Finished so far: {count}.</source>
        <translation>Um gráfico de contorno precisa de {least} tentativas. Concluídas até agora: {count}.</translation>
    </message>
    <message>
        <source>Best: {place}.</source>
        <translation>Melhor: {place}.</translation>
    </message>
    <message>
        <source>Computing the surface…</source>
        <translation>Calculando a superfície…</translation>
    </message>
    <message>
        <source>Contour plot: an objective over two fields</source>
        <translation>Gráfico de contornos: um objetivo sobre dois campos</translation>
    </message>
    <message>
        <source>Contours</source>
        <translation>Contornos</translation>
    </message>
    <message>
        <source>Horizontal</source>
        <translation>Horizontal</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Objetivo</translation>
    </message>
    <message>
        <source>Surface estimated from {count} trials.</source>
        <translation>Superfície estimada a partir de {count} tentativas.</translation>
    </message>
    <message>
        <source>Vertical</source>
        <translation>Vertical</translation>
    </message>
    <message>
        <source>{objective}: about {value}</source>
        <translation>{objective}: cerca de {value}</translation>
    </message>
</context>
<context>
    <name>CorrectionRow</name>
    <message>
        <source>Add the picture to the review queue with its correct class</source>
        <translation>Adicionar a imagem à fila de revisão com a classe correta</translation>
    </message>
    <message>
        <source>In the review queue as {label}.</source>
        <translation>Na fila de revisão como {label}.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>Undoes the correction.</source>
        <translation>Desfaz a correção.</translation>
    </message>
    <message>
        <source>Wrong? It is…</source>
        <translation>Errado? É…</translation>
    </message>
</context>
<context>
    <name>Dashboard</name>
    <message>
        <source>1 image/s</source>
        <translation>1 imagem/s</translation>
    </message>
    <message>
        <source>Best training {metric} {value} in epoch {epoch}</source>
        <translation>Melhor {metric} de treino: {value}, na época {epoch}</translation>
    </message>
    <message>
        <source>Best validation {metric} {value} in epoch {epoch}</source>
        <translation>Melhor {metric} de validação: {value}, na época {epoch}</translation>
    </message>
    <message>
        <source>Evaluating …</source>
        <translation>Avaliando …</translation>
    </message>
    <message>
        <source>Test {metric} {value} on {count} images</source>
        <translation>{metric} de teste: {value} em {count} imagens</translation>
    </message>
    <message>
        <source>a deleted dataset</source>
        <translation>um conjunto de dados excluído</translation>
    </message>
    <message>
        <source>took {time}</source>
        <translation>levou {time}</translation>
    </message>
    <message>
        <source>{count} images/s</source>
        <translation>{count} imagens/s</translation>
    </message>
    <message>
        <source>{network} on {dataset}</source>
        <translation>{network} em {dataset}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>faltam {time}</translation>
    </message>
    <message>
        <source>{time} so far</source>
        <translation>{time} até agora</translation>
    </message>
</context>
<context>
    <name>DatasetCard</name>
    <message>
        <source>Audit: {what}</source>
        <translation>Auditoria: {what}</translation>
    </message>
    <message>
        <source>Dataset {name}</source>
        <translation>Conjunto de dados {name}</translation>
    </message>
    <message>
        <source>Shows this dataset: images, audit and versions.</source>
        <translation>Mostra este conjunto de dados: imagens, auditoria e versões.</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>em exibição</translation>
    </message>
</context>
<context>
    <name>DatasetEditor</name>
    <message>
        <source>Another program changed the dataset: version {n}.</source>
        <translation>Outro programa mudou o conjunto de dados: versão {n}.</translation>
    </message>
    <message>
        <source>The last change was undone.</source>
        <translation>A última mudança foi desfeita.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
</context>
<context>
    <name>DatasetList</name>
    <message>
        <source>Create a dataset from a folder of images</source>
        <translation>Criar um conjunto de dados de uma pasta de imagens</translation>
    </message>
    <message>
        <source>Datasets</source>
        <translation>Conjuntos</translation>
    </message>
    <message>
        <source>Import images</source>
        <translation>Importar imagens</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importar…</translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message>
        <source>About this dataset</source>
        <translation>Sobre este conjunto de dados</translation>
    </message>
    <message>
        <source>Add images…</source>
        <translation>Adicionar imagens…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Excluir</translation>
    </message>
    <message>
        <source>Existing runs keep the old name.</source>
        <translation>Os treinos já feitos mantêm o nome antigo.</translation>
    </message>
    <message>
        <source>From {path}</source>
        <translation>De {path}</translation>
    </message>
    <message>
        <source>Import again with these settings</source>
        <translation>Importar de novo com estas configurações</translation>
    </message>
    <message>
        <source>Opens a new run on this dataset.</source>
        <translation>Abre um novo treino com este conjunto de dados.</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renomear</translation>
    </message>
    <message>
        <source>The dataset is damaged</source>
        <translation>O conjunto de dados está danificado</translation>
    </message>
    <message>
        <source>Train on it</source>
        <translation>Treinar com ele</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versões</translation>
    </message>
    <message>
        <source>Wait until the import is complete</source>
        <translation>Aguarde a conclusão da importação</translation>
    </message>
</context>
<context>
    <name>Designer</name>
    <message>
        <source>"{0}" has unsaved changes from last time.</source>
        <translation>"{0}" tem alterações não salvas da última vez.</translation>
    </message>
    <message>
        <source>"{0}" was not saved.</source>
        <translation>"{0}" não foi salva.</translation>
    </message>
    <message>
        <source>It is stored as a draft. You can also find it in "Open a network…".</source>
        <translation>Está guardado como rascunho. Você também o encontra em "Abrir uma rede…".</translation>
    </message>
    <message>
        <source>New network</source>
        <translation>Nova rede</translation>
    </message>
    <message>
        <source>Reopen</source>
        <translation>Reabrir</translation>
    </message>
    <message>
        <source>Saved as "{0}".</source>
        <translation>Salva como "{0}".</translation>
    </message>
    <message>
        <source>Show the layers of backbones</source>
        <translation>Mostrar as camadas dos backbones</translation>
    </message>
    <message>
        <source>The weights stay in the file: train from this drawing to use them.</source>
        <translation>Os pesos ficam no arquivo: treine a partir deste desenho para usá-los.</translation>
    </message>
</context>
<context>
    <name>DetailCard</name>
    <message>
        <source>Check the formats to save.</source>
        <translation>Marque os formatos a salvar.</translation>
    </message>
    <message>
        <source>Copies the checked formats to the folder on the left.</source>
        <translation>Copia os formatos marcados para a pasta à esquerda.</translation>
    </message>
    <message>
        <source>Copies the command that runs the script on the example picture.</source>
        <translation>Copia o comando que executa o script na imagem de exemplo.</translation>
    </message>
    <message>
        <source>Copies the files to the folder on the left.</source>
        <translation>Copia os arquivos para a pasta à esquerda.</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Copiar comando</translation>
    </message>
    <message>
        <source>Export {name}</source>
        <translation>Exportar {name}</translation>
    </message>
    <message>
        <source>One row for each format. Select one to read its certificate.</source>
        <translation>Uma linha por formato. Selecione uma para ler seu certificado.</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Abrir pasta</translation>
    </message>
    <message>
        <source>Save checked</source>
        <translation>Salvar marcados</translation>
    </message>
    <message>
        <source>Shows the written files in your file manager.</source>
        <translation>Mostra os arquivos gravados no gerenciador de arquivos.</translation>
    </message>
</context>
<context>
    <name>DeviceLabel</name>
    <message>
        <source>On {device}</source>
        <translation>Em {device}</translation>
    </message>
</context>
<context>
    <name>DeviceMeters</name>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Processor {load}
Memory {used} of {total}</source>
        <translation>Processador {load}
Memória {used} de {total}</translation>
    </message>
    <message>
        <source>{name}: {load}, memory {used} of {total}, {heat} °C, {power} W</source>
        <translation>{name}: {load}, memória {used} de {total}, {heat} °C, {power} W</translation>
    </message>
</context>
<context>
    <name>Doctor</name>
    <message>
        <source>Available after a few epochs.</source>
        <translation>Disponível após algumas épocas.</translation>
    </message>
    <message>
        <source>Checking the run …</source>
        <translation>Verificando o treino …</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>Diagnóstico</translation>
    </message>
    <message>
        <source>No problems found after one epoch.</source>
        <translation>Nenhum problema encontrado após uma época.</translation>
    </message>
    <message>
        <source>No problems found after {count} epochs.</source>
        <translation>Nenhum problema encontrado após {count} épocas.</translation>
    </message>
</context>
<context>
    <name>Drawer</name>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Images of the selected cell, bar or row. Double-click one to open it.</source>
        <translation>Imagens da célula, barra ou linha selecionada. Clique duas vezes em uma para abri-la.</translation>
    </message>
    <message>
        <source>No images.</source>
        <translation>Nenhuma imagem.</translation>
    </message>
</context>
<context>
    <name>Drawing</name>
    <message>
        <source>Add a layer</source>
        <translation>Adicionar uma camada</translation>
    </message>
    <message>
        <source>Add a wire</source>
        <translation>Adicionar uma conexão</translation>
    </message>
    <message>
        <source>Dissolve a block</source>
        <translation>Desfazer um bloco</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Congelar</translation>
    </message>
    <message>
        <source>Lay out</source>
        <translation>Organizar</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Taxa de aprendizado</translation>
    </message>
    <message>
        <source>Make a block</source>
        <translation>Criar um bloco</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Mover</translation>
    </message>
    <message>
        <source>Name of the network</source>
        <translation>Nome da rede</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Nota</translation>
    </message>
    <message>
        <source>Remove a wire</source>
        <translation>Remover uma ligação</translation>
    </message>
    <message>
        <source>Remove {0}</source>
        <translation>Remover {0}</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renomear</translation>
    </message>
    <message>
        <source>Settings of {0}</source>
        <translation>Configurações de {0}</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Tamanhos</translation>
    </message>
    <message>
        <source>Unfreeze</source>
        <translation>Descongelar</translation>
    </message>
</context>
<context>
    <name>DropArea</name>
    <message>
        <source>Choose…</source>
        <translation>Escolher…</translation>
    </message>
</context>
<context>
    <name>EarlierList</name>
    <message>
        <source>All evaluations</source>
        <translation>Todas as avaliações</translation>
    </message>
</context>
<context>
    <name>EditBar</name>
    <message>
        <source>Every edit makes a version. Version 0 is the import.</source>
        <translation>Cada edição cria uma versão. A versão 0 é a importação.</translation>
    </message>
    <message>
        <source>Exclude</source>
        <translation>Omitir</translation>
    </message>
    <message>
        <source>Exclude them from every split. Your files are not changed.</source>
        <translation>Deixa as imagens fora de todas as divisões. Seus arquivos não são alterados.</translation>
    </message>
    <message>
        <source>Include</source>
        <translation>Incluir</translation>
    </message>
    <message>
        <source>Move to</source>
        <translation>Mover para</translation>
    </message>
    <message>
        <source>Put them into another split</source>
        <translation>Pôr em outra divisão</translation>
    </message>
    <message>
        <source>Select images first</source>
        <translation>Selecione imagens primeiro</translation>
    </message>
    <message>
        <source>Use them again</source>
        <translation>Voltar a usá-las</translation>
    </message>
    <message>
        <source>Wait until the previous edit is done</source>
        <translation>Aguarde a edição anterior terminar</translation>
    </message>
</context>
<context>
    <name>EpochModel</name>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
    <message>
        <source>Images/s</source>
        <translation>Imagens/s</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Taxa</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Segundos</translation>
    </message>
</context>
<context>
    <name>EpochSlider</name>
    <message>
        <source>Back</source>
        <translation>Voltar</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Avançar</translation>
    </message>
</context>
<context>
    <name>EvaluationPanel</name>
    <message>
        <source>Data (JSON)…</source>
        <translation>Dados (JSON)…</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>Mover para a lixeira</translation>
    </message>
    <message>
        <source>Parts of the report</source>
        <translation>Partes do relatório</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>Salvar relatório</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Salvar o relatório</translation>
    </message>
    <message>
        <source>Saved as {path}.</source>
        <translation>Salvo como {path}.</translation>
    </message>
    <message>
        <source>Saves the report as a web page, a table or data.</source>
        <translation>Salva o relatório como página da web, tabela ou dados.</translation>
    </message>
    <message>
        <source>Shows another part of the report.</source>
        <translation>Mostra outra parte do relatório.</translation>
    </message>
    <message>
        <source>Table (CSV)…</source>
        <translation>Tabela (CSV)…</translation>
    </message>
    <message>
        <source>Web page with charts (HTML)…</source>
        <translation>Página da web com gráficos (HTML)…</translation>
    </message>
</context>
<context>
    <name>ExpectedTimeLabel</name>
    <message>
        <source>Estimated from the speed of the CPU and the multiply-adds of the network.</source>
        <translation>Estimado pela velocidade da CPU e pelas multiplicações-somas da rede.</translation>
    </message>
    <message>
        <source>Measured by training some steps of this plan.</source>
        <translation>Medido treinando alguns passos deste plano.</translation>
    </message>
    <message>
        <source>Takes about {time} according to earlier runs on this machine.</source>
        <translation>Leva cerca de {time} segundo treinos anteriores nesta máquina.</translation>
    </message>
    <message>
        <source>Takes about {time} according to the preflight check.</source>
        <translation>Leva cerca de {time} segundo a verificação prévia.</translation>
    </message>
    <message>
        <source>Takes roughly {time}. The preflight check measures it.</source>
        <translation>Leva aproximadamente {time}. A verificação prévia mede o tempo.</translation>
    </message>
    <message>
        <source>The preflight check measures it by training some steps.</source>
        <translation>A verificação prévia o mede treinando alguns passos.</translation>
    </message>
</context>
<context>
    <name>Explanation</name>
    <message>
        <source>Areas that increase {label} (Grad-CAM)</source>
        <translation>Áreas que aumentam {label} (Grad-CAM)</translation>
    </message>
    <message>
        <source>Areas that support {label} (Grad-CAM)</source>
        <translation>Áreas que favorecem {label} (Grad-CAM)</translation>
    </message>
    <message>
        <source>Computing the heat map…</source>
        <translation>Calculando o mapa de calor…</translation>
    </message>
    <message>
        <source>Explained output</source>
        <translation>Saída explicada</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Mapa de calor</translation>
    </message>
    <message>
        <source>No area of the picture increases {label}.</source>
        <translation>Nenhuma área da imagem aumenta {label}.</translation>
    </message>
    <message>
        <source>No area of the picture supports {label}.</source>
        <translation>Nenhuma área da imagem favorece {label}.</translation>
    </message>
    <message>
        <source>Show the areas of the picture that the prediction depends on</source>
        <translation>Mostrar as áreas da imagem das quais a previsão depende</translation>
    </message>
    <message>
        <source>Strength of the heat map</source>
        <translation>Intensidade do mapa de calor</translation>
    </message>
    <message>
        <source>The output that the heat map explains.</source>
        <translation>A saída que o mapa de calor explica.</translation>
    </message>
</context>
<context>
    <name>ExportForm</name>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source> points</source>
        <translation> pontos</translation>
    </message>
    <message>
        <source>A file whose main metric is worse by more than this gets no certificate.</source>
        <translation>Um arquivo cuja métrica principal piora mais do que isso não recebe certificado.</translation>
    </message>
    <message>
        <source>A folder for each format</source>
        <translation>Uma pasta para cada formato</translation>
    </message>
    <message>
        <source>A new folder with the files is created in this folder.</source>
        <translation>Uma nova pasta com os arquivos é criada nesta pasta.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Todos</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Arquivo compactado</translation>
    </message>
    <message>
        <source>Checks all formats or none.</source>
        <translation>Marca todos os formatos ou nenhum.</translation>
    </message>
    <message>
        <source>Choose the folder</source>
        <translation>Escolha a pasta</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Escolher…</translation>
    </message>
    <message>
        <source>Creates a new folder in it; existing files are not changed.</source>
        <translation>Cria uma nova pasta nela; os arquivos existentes não são alterados.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Export settings</source>
        <translation>Configurações da exportação</translation>
    </message>
    <message>
        <source>File format of the export. Training can start directly from a .zip file.</source>
        <translation>Formato de arquivo da exportação. O treino pode começar diretamente de um arquivo .zip.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Pasta</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>Pasta para os arquivos</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formatos</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Medir</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>One .{kind} file for each</source>
        <translation>Um arquivo .{kind} para cada um</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Tolerância</translation>
    </message>
</context>
<context>
    <name>ExportsTable</name>
    <message>
        <source>All exports</source>
        <translation>Todas as exportações</translation>
    </message>
</context>
<context>
    <name>FieldBox</name>
    <message>
        <source>Field that varies</source>
        <translation>Campo que varia</translation>
    </message>
    <message>
        <source>Search the fields</source>
        <translation>Procurar campos</translation>
    </message>
</context>
<context>
    <name>FigureChart</name>
    <message>
        <source>Line</source>
        <translation>Linha</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>Limite inferior</translation>
    </message>
    <message>
        <source>Upper bound</source>
        <translation>Limite superior</translation>
    </message>
</context>
<context>
    <name>FiguresTab</name>
    <message>
        <source>95 % bootstrap intervals from {count} resamples of the images.</source>
        <translation>Intervalos bootstrap de 95 % de {count} reamostras das imagens.</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>Intervalo de 95 %</translation>
    </message>
    <message>
        <source>All metrics of the report, with confidence intervals.</source>
        <translation>Todas as métricas do relatório, com intervalos de confiança.</translation>
    </message>
    <message>
        <source>Intervals were not computed.</source>
        <translation>Os intervalos não foram calculados.</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Métrica</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Métricas</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valor</translation>
    </message>
</context>
<context>
    <name>FiguresView</name>
    <message>
        <source>Picture of {title}</source>
        <translation>Figura de {title}</translation>
    </message>
    <message>
        <source>deviation {value}</source>
        <translation>desvio {value}</translation>
    </message>
    <message>
        <source>mean {value}</source>
        <translation>média {value}</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>um número</translation>
    </message>
    <message>
        <source>{count} are infinite or not a number</source>
        <translation>{count} são infinitos ou não são números</translation>
    </message>
    <message>
        <source>{shown} of {there} are drawn</source>
        <translation>{shown} de {there} são desenhados</translation>
    </message>
</context>
<context>
    <name>Files</name>
    <message>
        <source>"{0}" was read into a drawing.</source>
        <translation>"{0}" foi lido em um desenho.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Its weights are used when you train it from here.</source>
        <translation>Os pesos dela são usados quando você a treina daqui.</translation>
    </message>
    <message>
        <source>Networks (*.json *.keras *.h5 *.hdf5 *.zip)</source>
        <translation>Redes (*.json *.keras *.h5 *.hdf5 *.zip)</translation>
    </message>
    <message>
        <source>Open a network</source>
        <translation>Abrir uma rede</translation>
    </message>
    <message>
        <source>Written to "{0}".</source>
        <translation>Gravado em "{0}".</translation>
    </message>
</context>
<context>
    <name>FilesTable</name>
    <message>
        <source>Formats compared</source>
        <translation>Formatos comparados</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>All splits</source>
        <translation>Todas as divisões</translation>
    </message>
    <message>
        <source>As found</source>
        <translation>Como encontradas</translation>
    </message>
    <message>
        <source>As imported</source>
        <translation>Como importado</translation>
    </message>
    <message>
        <source>Back to the overview</source>
        <translation>Voltar à visão geral</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>Por nome</translation>
    </message>
    <message>
        <source>By pair</source>
        <translation>Por par</translation>
    </message>
    <message>
        <source>By split</source>
        <translation>Por divisão</translation>
    </message>
    <message>
        <source>Ctrl and the wheel</source>
        <translation>Ctrl e a roda do mouse</translation>
    </message>
    <message>
        <source>File name</source>
        <translation>Arquivo</translation>
    </message>
    <message>
        <source>Filter by predictions of a run…</source>
        <translation>Filtrar por previsões de um treino…</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Ordem</translation>
    </message>
    <message>
        <source>Search images by file name</source>
        <translation>Buscar imagens pelo nome do arquivo</translation>
    </message>
    <message>
        <source>Search images by path</source>
        <translation>Buscar imagens pelo caminho</translation>
    </message>
    <message>
        <source>Size of the pictures</source>
        <translation>Tamanho das imagens</translation>
    </message>
    <message>
        <source>Size of the pictures ({keys})</source>
        <translation>Tamanho das imagens ({keys})</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Divisão</translation>
    </message>
    <message>
        <source>Surest first</source>
        <translation>Mais seguras primeiro</translation>
    </message>
</context>
<context>
    <name>FindingCard</name>
    <message>
        <source>Apply as a new run</source>
        <translation>Aplicar como novo treino</translation>
    </message>
    <message>
        <source>Epoch {epoch}</source>
        <translation>Época {epoch}</translation>
    </message>
    <message>
        <source>Epochs {first} to {last}</source>
        <translation>Épocas {first} a {last}</translation>
    </message>
    <message>
        <source>Opens the form of a new run with these changes.</source>
        <translation>Abre o formulário de um novo treino com estas mudanças.</translation>
    </message>
</context>
<context>
    <name>FindingChip</name>
    <message>
        <source>Shows all images again.</source>
        <translation>Mostra todas as imagens de novo.</translation>
    </message>
    <message>
        <source>{what}. Show all images</source>
        <translation>{what}. Mostrar todas as imagens</translation>
    </message>
</context>
<context>
    <name>FindingRow</name>
    <message>
        <source>Done</source>
        <translation>Pronto</translation>
    </message>
    <message>
        <source>Show images</source>
        <translation>Mostrar imagens</translation>
    </message>
    <message>
        <source>Show images: {what}</source>
        <translation>Mostrar imagens: {what}</translation>
    </message>
    <message>
        <source>Shows the images of this finding.</source>
        <translation>Mostra as imagens deste achado.</translation>
    </message>
    <message>
        <source>The images have more than two classes: show them, and relabel them there</source>
        <translation>As imagens têm mais de duas classes: mostre-as e corrija os rótulos lá</translation>
    </message>
    <message>
        <source>Wait until the previous edit is done</source>
        <translation>Aguarde a edição anterior terminar</translation>
    </message>
    <message>
        <source>{what}: {fix}</source>
        <translation>{what}: {fix}</translation>
    </message>
</context>
<context>
    <name>FindingsBar</name>
    <message>
        <source>Audit again</source>
        <translation>Auditar de novo</translation>
    </message>
    <message>
        <source>Audit now</source>
        <translation>Auditar agora</translation>
    </message>
    <message>
        <source>Audit: preparing…</source>
        <translation>Auditoria: preparando…</translation>
    </message>
    <message>
        <source>Audit: queued</source>
        <translation>Auditoria: na fila</translation>
    </message>
    <message>
        <source>Audit: {done} of {total} images</source>
        <translation>Auditoria: {done} de {total} imagens</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Cancel the audit and keep the previous findings</source>
        <translation>Cancelar a auditoria e manter os resultados anteriores</translation>
    </message>
    <message>
        <source>Cancels the audit. Your images never change.</source>
        <translation>Cancela a auditoria. Suas imagens nunca são alteradas.</translation>
    </message>
    <message>
        <source>Checks for duplicates, leakage, wrong labels and poor images.</source>
        <translation>Procura duplicatas, vazamento entre divisões, rótulos errados e imagens ruins.</translation>
    </message>
    <message>
        <source>Hide findings</source>
        <translation>Ocultar os achados</translation>
    </message>
    <message>
        <source>Lists possible problems with suggested fixes.</source>
        <translation>Lista possíveis problemas com as correções sugeridas.</translation>
    </message>
    <message>
        <source>Not audited yet for duplicates, leakage and poor images</source>
        <translation>Ainda sem auditoria de duplicatas, vazamento e imagens ruins</translation>
    </message>
    <message>
        <source>Reading the findings…</source>
        <translation>Lendo os achados…</translation>
    </message>
    <message>
        <source>Show findings</source>
        <translation>Mostrar os achados</translation>
    </message>
    <message>
        <source>The audit failed</source>
        <translation>A auditoria falhou</translation>
    </message>
    <message>
        <source>The audit is starting or ending; please wait</source>
        <translation>A auditoria está começando ou terminando; aguarde</translation>
    </message>
    <message>
        <source>{what} · edited since the audit</source>
        <translation>{what} · editado desde a auditoria</translation>
    </message>
</context>
<context>
    <name>FindingsSection</name>
    <message>
        <source>Findings</source>
        <translation>Achados</translation>
    </message>
    <message>
        <source>No problems found in {images}.</source>
        <translation>Nenhum problema encontrado em {images}.</translation>
    </message>
    <message>
        <source>Not audited yet.</source>
        <translation>Ainda não auditado.</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>Não verificado</translation>
    </message>
</context>
<context>
    <name>FolderBar</name>
    <message>
        <source>All pictures</source>
        <translation>Todas as imagens</translation>
    </message>
    <message>
        <source>Continue with the rest</source>
        <translation>Continuar com o resto</translation>
    </message>
    <message>
        <source>Returns to all pictures.</source>
        <translation>Volta para todas as imagens.</translation>
    </message>
    <message>
        <source>Save the answers as a table (CSV)</source>
        <translation>Salvar as respostas como tabela (CSV)</translation>
    </message>
    <message>
        <source>Save the masks, or a table of their areas</source>
        <translation>Salvar as máscaras ou uma tabela das áreas</translation>
    </message>
    <message>
        <source>Save the predictions as a table (CSV)</source>
        <translation>Salvar as previsões como tabela (CSV)</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>Mostrar como tabela</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
</context>
<context>
    <name>Forecast</name>
    <message>
        <source>Choose a dataset.</source>
        <translation>Escolha um conjunto de dados.</translation>
    </message>
    <message>
        <source>Fix the marked fields.</source>
        <translation>Corrija os campos marcados.</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumo</translation>
    </message>
    <message>
        <source>{images} training images in batches of {batch}. Steps per epoch: {steps}, in total: {total}. Validation images: {val}.</source>
        <translation>{images} imagens de treino em lotes de {batch}. Passos por época: {steps}, no total: {total}. Imagens de validação: {val}.</translation>
    </message>
    <message>
        <source>{solver} fits the head directly to {images} training images, without epochs. Validated on {val} images.</source>
        <translation>{solver} ajusta a cabeça diretamente a {images} imagens de treino, sem épocas. Validada em {val} imagens.</translation>
    </message>
</context>
<context>
    <name>FormatRows</name>
    <message>
        <source>Format</source>
        <translation>Formato</translation>
    </message>
</context>
<context>
    <name>FreezeSlider</name>
    <message>
        <source>Freeze</source>
        <translation>Congelar</translation>
    </message>
    <message>
        <source>Freeze up to</source>
        <translation>Congelar até</translation>
    </message>
    <message>
        <source>Freeze up to here</source>
        <translation>Congelar até aqui</translation>
    </message>
    <message>
        <source>Frozen layers keep their pretrained weights. This is faster and needs fewer images.</source>
        <translation>Camadas congeladas mantêm os pesos pré-treinados. Isso é mais rápido e precisa de menos imagens.</translation>
    </message>
    <message>
        <source>Frozen: none</source>
        <translation>Congelado: nada</translation>
    </message>
    <message>
        <source>Frozen: up to {0}</source>
        <translation>Congelado: até {0}</translation>
    </message>
    <message>
        <source>Training does not change the layers from the input to here</source>
        <translation>O treino não altera as camadas da entrada até aqui</translation>
    </message>
    <message>
        <source>all but the head</source>
        <translation>tudo, menos a cabeça</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nada</translation>
    </message>
    <message>
        <source>up to {block}</source>
        <translation>até {block}</translation>
    </message>
</context>
<context>
    <name>Gallery</name>
    <message>
        <source>All</source>
        <translation>Todas</translation>
    </message>
    <message>
        <source>Filters the networks by their origin.</source>
        <translation>Filtra as redes pela origem.</translation>
    </message>
    <message>
        <source>From papers</source>
        <translation>De artigos</translation>
    </message>
    <message>
        <source>Masks</source>
        <translation>Máscaras</translation>
    </message>
    <message>
        <source>No matching networks.</source>
        <translation>Nenhuma rede encontrada.</translation>
    </message>
    <message>
        <source>Pretrained</source>
        <translation>Pré-treinadas</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Procurar</translation>
    </message>
    <message>
        <source>Search the networks</source>
        <translation>Procurar redes</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>Segmentação</translation>
    </message>
    <message>
        <source>Selected images</source>
        <translation>Imagens selecionadas</translation>
    </message>
    <message>
        <source>Shows only networks whose name or description contains the text.</source>
        <translation>Mostra apenas as redes cujo nome ou descrição contém o texto.</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>Suas</translation>
    </message>
</context>
<context>
    <name>GeneralGroup</name>
    <message>
        <source>Colors</source>
        <translation>Cores</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Escuro</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>Language of the window. System dialogs keep the language of the system.</source>
        <translation>Idioma da janela. Os diálogos do sistema continuam no idioma do sistema.</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Light, dark, or as the system.</source>
        <translation>Claro, escuro ou como o sistema.</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>Abrir outro…</translation>
    </message>
    <message>
        <source>Opens another folder as the workspace. An empty folder becomes a new workspace.</source>
        <translation>Abre outra pasta como espaço de trabalho. Uma pasta vazia vira um novo.</translation>
    </message>
    <message>
        <source>Recent workspaces</source>
        <translation>Espaços de trabalho recentes</translation>
    </message>
    <message>
        <source>Same as the system</source>
        <translation>Igual ao sistema</translation>
    </message>
    <message>
        <source>Show all settings of forms</source>
        <translation>Mostrar todas as configurações dos formulários</translation>
    </message>
    <message>
        <source>Shows every setting instead of hiding some behind “More”.</source>
        <translation>Mostra todas as configurações em vez de esconder algumas em “Mais”.</translation>
    </message>
    <message>
        <source>The folder with all datasets, runs and exports: {path}</source>
        <translation>A pasta com todos os conjuntos de dados, treinos e exportações: {path}</translation>
    </message>
    <message>
        <source>This folder is synced by {service}.</source>
        <translation>Esta pasta é sincronizada por {service}.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Janela</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Espaço de trabalho</translation>
    </message>
    <message>
        <source>expert beginner advanced level</source>
        <translation>avançado iniciante especialista nível</translation>
    </message>
    <message>
        <source>folder recent open project</source>
        <translation>pasta recente abrir projeto</translation>
    </message>
    <message>
        <source>theme dark light mode</source>
        <translation>tema escuro claro modo</translation>
    </message>
</context>
<context>
    <name>GroupHeader</name>
    <message>
        <source>Group {what}. Hide</source>
        <translation>Grupo {what}. Ocultar</translation>
    </message>
    <message>
        <source>Group {what}. Show</source>
        <translation>Grupo {what}. Mostrar</translation>
    </message>
    <message>
        <source>Hides or shows the datasets of this group.</source>
        <translation>Oculta ou mostra os conjuntos de dados deste grupo.</translation>
    </message>
    <message>
        <source>No group</source>
        <translation>Sem grupo</translation>
    </message>
</context>
<context>
    <name>GroupMenu</name>
    <message>
        <source>Move to group</source>
        <translation>Mover para o grupo</translation>
    </message>
    <message>
        <source>New group</source>
        <translation>Novo grupo</translation>
    </message>
    <message>
        <source>No group</source>
        <translation>Sem grupo</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Choose pictures for a prediction</source>
        <translation>Escolher imagens para uma previsão</translation>
    </message>
    <message>
        <source>From the web…</source>
        <translation>Da web…</translation>
    </message>
    <message>
        <source>More ways to choose a picture</source>
        <translation>Mais formas de escolher uma imagem</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Abrir…</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Colar</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>Prever</translation>
    </message>
    <message>
        <source>Predict the picture in the clipboard</source>
        <translation>Prever a imagem da área de transferência</translation>
    </message>
    <message>
        <source>Region of the screen</source>
        <translation>Região da tela</translation>
    </message>
    <message>
        <source>Show the corrected pictures</source>
        <translation>Mostrar as imagens corrigidas</translation>
    </message>
    <message>
        <source>The clipboard holds no picture, no file and no web address.</source>
        <translation>A área de transferência não contém imagem, arquivo nem endereço da web.</translation>
    </message>
    <message>
        <source>Web, webcam, screen</source>
        <translation>Web, webcam, tela</translation>
    </message>
    <message>
        <source>Webcam…</source>
        <translation>Webcam…</translation>
    </message>
</context>
<context>
    <name>HeatOverlay</name>
    <message>
        <source>Areas that increase {label} ({score})</source>
        <translation>Áreas que aumentam {label} ({score})</translation>
    </message>
    <message>
        <source>Areas that support {label} ({score})</source>
        <translation>Áreas que favorecem {label} ({score})</translation>
    </message>
    <message>
        <source>Covering parts</source>
        <translation>Cobrir partes</translation>
    </message>
    <message>
        <source>Explained output</source>
        <translation>Saída explicada</translation>
    </message>
    <message>
        <source>Grad-CAM</source>
        <translation>Grad-CAM</translation>
    </message>
    <message>
        <source>Grad-CAM uses gradients and is fast. Occlusion takes longer and works with every network.</source>
        <translation>O Grad-CAM usa gradientes e é rápido. A oclusão demora mais e funciona com qualquer rede.</translation>
    </message>
    <message>
        <source>Highest score</source>
        <translation>Maior pontuação</translation>
    </message>
    <message>
        <source>Method of the heat map</source>
        <translation>Método do mapa de calor</translation>
    </message>
    <message>
        <source>Opacity of the heat map</source>
        <translation>Opacidade do mapa de calor</translation>
    </message>
    <message>
        <source>The output that the heat map explains.</source>
        <translation>A saída que o mapa de calor explica.</translation>
    </message>
    <message>
        <source>The picture under its heat map</source>
        <translation>A imagem sob o mapa de calor</translation>
    </message>
    <message>
        <source>{what}, layer {layer}</source>
        <translation>{what}, camada {layer}</translation>
    </message>
    <message>
        <source>{what}: none found.</source>
        <translation>{what}: nenhuma encontrada.</translation>
    </message>
    <message>
        <source>{what}; covering the brightest area lowers the score by {fall}</source>
        <translation>{what}; cobrir a área mais clara reduz a pontuação em {fall}</translation>
    </message>
</context>
<context>
    <name>HeatView</name>
    <message>
        <source>A heat map needs two fields that vary. This sweep has one.</source>
        <translation>Um mapa de calor precisa de dois campos que variem. Esta varredura tem um.</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Melhor</translation>
    </message>
    <message>
        <source>Best: {value}</source>
        <translation>Melhor: {value}</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Mapa de calor</translation>
    </message>
    <message>
        <source>Horizontal</source>
        <translation>Horizontal</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Média</translation>
    </message>
    <message>
        <source>No trial</source>
        <translation>Nenhuma tentativa</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Objetivo</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Mostrar</translation>
    </message>
    <message>
        <source>Trials: {count}</source>
        <translation>Tentativas: {count}</translation>
    </message>
    <message>
        <source>Vertical</source>
        <translation>Vertical</translation>
    </message>
    <message>
        <source>Worst: {value}</source>
        <translation>Pior: {value}</translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>Ajuda</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>Temas</translation>
    </message>
</context>
<context>
    <name>Histogram</name>
    <message>
        <source>Histogram</source>
        <translation>Histograma</translation>
    </message>
    <message>
        <source>{total} values from {low} to {high}; the largest bin has {most}</source>
        <translation>{total} valores de {low} a {high}; a maior faixa tem {most}</translation>
    </message>
</context>
<context>
    <name>HistoryStrip</name>
    <message>
        <source>Earlier pictures</source>
        <translation>Imagens anteriores</translation>
    </message>
</context>
<context>
    <name>ImageBrowser</name>
    <message>
        <source>Select images to move, relabel or exclude them. Your files never change.</source>
        <translation>Selecione imagens para mover, rotular de novo ou deixar de fora. Seus arquivos nunca são alterados.</translation>
    </message>
</context>
<context>
    <name>ImageDetails</name>
    <message>
        <source>Camera</source>
        <translation>Câmera</translation>
    </message>
    <message>
        <source>EXIF orientation {n}</source>
        <translation>Orientação EXIF {n}</translation>
    </message>
    <message>
        <source>Exposure</source>
        <translation>Exposição</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Arquivo</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Aqui</translation>
    </message>
    <message>
        <source>Its source file no longer exists.</source>
        <translation>O arquivo de origem não existe mais.</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Select an image to see its source and targets.</source>
        <translation>Selecione uma imagem para ver a origem e os alvos.</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Divisão</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>Tirada</translation>
    </message>
    <message>
        <source>Turned</source>
        <translation>Girada</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>ilegível</translation>
    </message>
</context>
<context>
    <name>ImageGrid</name>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
</context>
<context>
    <name>ImportEnded</name>
    <message>
        <source>Continue</source>
        <translation>Continuar</translation>
    </message>
    <message>
        <source>Copies the error details to the clipboard.</source>
        <translation>Copia os detalhes do erro para a área de transferência.</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Copiar detalhes</translation>
    </message>
    <message>
        <source>Finished parts are kept. Continue resumes the rest.</source>
        <translation>As partes concluídas são mantidas. Continuar retoma o restante.</translation>
    </message>
    <message>
        <source>Import again</source>
        <translation>Importar de novo</translation>
    </message>
    <message>
        <source>Restarts the job with the same settings.</source>
        <translation>Reinicia o trabalho com as mesmas configurações.</translation>
    </message>
</context>
<context>
    <name>ImportProgress</name>
    <message>
        <source>Auditing the images</source>
        <translation>Auditando as imagens</translation>
    </message>
    <message>
        <source>Being cancelled</source>
        <translation>Sendo cancelado</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Importing</source>
        <translation>Importando</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Pular</translation>
    </message>
    <message>
        <source>Skip the audit; you can run it later</source>
        <translation>Pular a auditoria; você pode fazê-la depois</translation>
    </message>
    <message>
        <source>Stops the import. You can continue it later.</source>
        <translation>Interrompe a importação. Você pode continuá-la depois.</translation>
    </message>
    <message>
        <source>Waits for its turn</source>
        <translation>Aguarda a sua vez</translation>
    </message>
</context>
<context>
    <name>ImportSheet</name>
    <message>
        <source>Add {images}</source>
        <translation>Adicionar {images}</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Todos os arquivos</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Voltar</translation>
    </message>
    <message>
        <source>Choose an archive, a list of images, or an array file</source>
        <translation>Escolha um arquivo compactado, uma lista de imagens ou um arquivo de arrays</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>Escolha outro.</translation>
    </message>
    <message>
        <source>Choose the folder that holds one folder per class</source>
        <translation>Escolha a pasta que contém uma pasta por classe</translation>
    </message>
    <message>
        <source>Choose the mask folder</source>
        <translation>Escolha a pasta das máscaras</translation>
    </message>
    <message>
        <source>Closes without importing.</source>
        <translation>Fecha sem importar.</translation>
    </message>
    <message>
        <source>Copies the images into the workspace. Your files never change.</source>
        <translation>Copia as imagens para o espaço de trabalho. Seus arquivos nunca são alterados.</translation>
    </message>
    <message>
        <source>Files of images</source>
        <translation>Arquivos de imagens</translation>
    </message>
    <message>
        <source>Fix the marked settings first</source>
        <translation>Corrija primeiro as configurações marcadas</translation>
    </message>
    <message>
        <source>Goes back to choose other images.</source>
        <translation>Volta para escolher outras imagens.</translation>
    </message>
    <message>
        <source>Import images</source>
        <translation>Importar imagens</translation>
    </message>
    <message>
        <source>Import {images}</source>
        <translation>Importar {images}</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Agora não</translation>
    </message>
    <message>
        <source>Other images…</source>
        <translation>Outras imagens…</translation>
    </message>
    <message>
        <source>Searching for images with the new settings</source>
        <translation>Procurando imagens com as novas configurações</translation>
    </message>
    <message>
        <source>The import is starting</source>
        <translation>A importação está começando</translation>
    </message>
    <message>
        <source>This name cannot be used</source>
        <translation>Este nome não pode ser usado</translation>
    </message>
    <message>
        <source>{location} is already one of the sources.</source>
        <translation>{location} já é uma das fontes.</translation>
    </message>
</context>
<context>
    <name>ImportanceView</name>
    <message>
        <source>Computing… At least four finished trials are needed.</source>
        <translation>Calculando… São necessárias pelo menos quatro tentativas concluídas.</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>Campo</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Importância</translation>
    </message>
    <message>
        <source>Importance of the fields</source>
        <translation>Importância dos campos</translation>
    </message>
    <message>
        <source>The importance cannot be estimated from these trials.</source>
        <translation>Não é possível estimar a importância a partir destas tentativas.</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Settings of the selected layer</source>
        <translation>Configurações da camada selecionada</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Retomar</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>faltam {time}</translation>
    </message>
</context>
<context>
    <name>KeysGroup</name>
    <message>
        <source>All commands with their shortcuts. Select one to change it.</source>
        <translation>Todos os comandos com seus atalhos. Selecione um para mudá-lo.</translation>
    </message>
    <message>
        <source>All shortcuts are the defaults.</source>
        <translation>Todos os atalhos são os padrões.</translation>
    </message>
    <message>
        <source>Click here, then press the new keys.</source>
        <translation>Clique aqui e pressione as novas teclas.</translation>
    </message>
    <message>
        <source>Click into the field, or press Enter in the list; then press the new keys.</source>
        <translation>Clique no campo, ou tecle Enter na lista; depois pressione as novas teclas.</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Comando</translation>
    </message>
    <message>
        <source>Commands and their keys</source>
        <translation>Comandos e as suas teclas</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Em todo lugar</translation>
    </message>
    <message>
        <source>It has no keys.</source>
        <translation>Não tem teclas.</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atalhos de teclado</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Teclas</translation>
    </message>
    <message>
        <source>Keys of the selected command</source>
        <translation>Teclas do comando selecionado</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>Nenhuma tecla</translation>
    </message>
    <message>
        <source>Removes the shortcut of the selected command.</source>
        <translation>Remove o atalho do comando selecionado.</translation>
    </message>
    <message>
        <source>The default keys are now used by “{command}”.</source>
        <translation>As teclas padrão agora são usadas por “{command}”.</translation>
    </message>
    <message>
        <source>These are the default keys.</source>
        <translation>Estas são as teclas padrão.</translation>
    </message>
    <message>
        <source>These keys cannot be changed.</source>
        <translation>Estas teclas não podem ser mudadas.</translation>
    </message>
    <message>
        <source>Usual keys</source>
        <translation>Teclas usuais</translation>
    </message>
    <message>
        <source>Usual keys for all</source>
        <translation>Teclas usuais para todos</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Onde</translation>
    </message>
    <message>
        <source>{keys} is used by “{command}”. Choose other keys, or change those first.</source>
        <translation>{keys} é usado por “{command}”. Escolha outras teclas ou altere essas primeiro.</translation>
    </message>
    <message>
        <source>{place}, fixed</source>
        <translation>{place}, fixo</translation>
    </message>
</context>
<context>
    <name>Kinds</name>
    <message>
        <source>Benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>Benchmark of operations</source>
        <translation>Benchmark de operações</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Avaliação</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportação</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Trabalho</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Mapa</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Varredura</translation>
    </message>
</context>
<context>
    <name>LatestRuns</name>
    <message>
        <source>Latest runs</source>
        <translation>Últimos treinos</translation>
    </message>
    <message>
        <source>Sweep · {count} trials</source>
        <translation>Varredura · {count} tentativas</translation>
    </message>
</context>
<context>
    <name>LayerList</name>
    <message>
        <source>Layers to add</source>
        <translation>Camadas para adicionar</translation>
    </message>
    <message>
        <source>No matching layers</source>
        <translation>Nenhuma camada encontrada</translation>
    </message>
</context>
<context>
    <name>LayersView</name>
    <message>
        <source>Layer</source>
        <translation>Camada</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Camadas</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Saída</translation>
    </message>
    <message>
        <source>Output of {layer} ({kind})</source>
        <translation>Saída de {layer} ({kind})</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>Select a layer to see its activations for the picture.</source>
        <translation>Selecione uma camada para ver as ativações dela para a imagem.</translation>
    </message>
    <message>
        <source>{layers} layers, {weights} parameters</source>
        <translation>{layers} camadas, {weights} parâmetros</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Legend</source>
        <translation>Legenda</translation>
    </message>
</context>
<context>
    <name>LegendEntry</name>
    <message>
        <source>Show or hide {name}</source>
        <translation>Mostrar ou ocultar {name}</translation>
    </message>
    <message>
        <source>Show the curve {name}</source>
        <translation>Mostrar a curva {name}</translation>
    </message>
</context>
<context>
    <name>Lists</name>
    <message>
        <source>Add a layer</source>
        <translation>Adicionar uma camada</translation>
    </message>
    <message>
        <source>Find a layer</source>
        <translation>Encontrar uma camada</translation>
    </message>
    <message>
        <source>Open a network</source>
        <translation>Abrir uma rede</translation>
    </message>
    <message>
        <source>not saved</source>
        <translation>não salva</translation>
    </message>
</context>
<context>
    <name>LiveBar</name>
    <message>
        <source>Freezes the current frame.</source>
        <translation>Congela o quadro atual.</translation>
    </message>
    <message>
        <source>Keep this picture</source>
        <translation>Guardar esta imagem</translation>
    </message>
    <message>
        <source>Stops the webcam.</source>
        <translation>Desliga a webcam.</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>Desligar</translation>
    </message>
    <message>
        <source>The webcam is on.</source>
        <translation>A webcam está ligada.</translation>
    </message>
</context>
<context>
    <name>LiveCamera</name>
    <message>
        <source>Webcam</source>
        <translation>Webcam</translation>
    </message>
</context>
<context>
    <name>LocationList</name>
    <message>
        <source>Add another source…</source>
        <translation>Adicionar outra fonte…</translation>
    </message>
    <message>
        <source>Adds images of another folder or file to the same import.</source>
        <translation>Acrescenta imagens de outra pasta ou arquivo à mesma importação.</translation>
    </message>
    <message>
        <source>Fix the marked settings first</source>
        <translation>Corrija primeiro as configurações marcadas</translation>
    </message>
    <message>
        <source>More images will be added</source>
        <translation>Mais imagens serão adicionadas</translation>
    </message>
    <message>
        <source>Remove the source {place}</source>
        <translation>Remover a fonte {place}</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Choose a workspace, or an empty folder for a new one</source>
        <translation>Escolha um espaço de trabalho, ou uma pasta vazia para criar um</translation>
    </message>
    <message>
        <source>In the list of jobs, release each job or remove it from the queue.</source>
        <translation>Na lista de trabalhos, libere cada um ou remova-o da fila.</translation>
    </message>
    <message>
        <source>Jobs from another computer wait for your confirmation: {jobs}</source>
        <translation>Trabalhos de outro computador esperam a sua confirmação: {jobs}</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Mostrar</translation>
    </message>
    <message>
        <source>Show the report</source>
        <translation>Mostrar o relatório</translation>
    </message>
    <message>
        <source>Studio crashed last time. Running jobs were not affected.</source>
        <translation>O Studio travou na última vez. Os trabalhos em execução não foram afetados.</translation>
    </message>
    <message>
        <source>Studio has an internal error. Your saved work is not affected.</source>
        <translation>Erro interno do Studio. O que você salvou não foi afetado.</translation>
    </message>
    <message>
        <source>{name} – Studio</source>
        <translation>{name} – Studio</translation>
    </message>
    <message>
        <source>{what}: done.</source>
        <translation>{what}: pronto.</translation>
    </message>
</context>
<context>
    <name>MapBar</name>
    <message>
        <source>All images</source>
        <translation>Todas as imagens</translation>
    </message>
    <message>
        <source>Color by class</source>
        <translation>Cor por classe</translation>
    </message>
    <message>
        <source>Color by error</source>
        <translation>Cor por erro</translation>
    </message>
    <message>
        <source>Color by split</source>
        <translation>Cor por divisão</translation>
    </message>
    <message>
        <source>Color by value</source>
        <translation>Cor por valor</translation>
    </message>
    <message>
        <source>Coloring by error shows clusters of mistakes.</source>
        <translation>A coloração por erro mostra grupos de erros.</translation>
    </message>
    <message>
        <source>Drag selects</source>
        <translation>Arrastar seleciona</translation>
    </message>
    <message>
        <source>Fades all other classes.</source>
        <translation>Esmaece todas as outras classes.</translation>
    </message>
    <message>
        <source>Highlighted class</source>
        <translation>Classe destacada</translation>
    </message>
    <message>
        <source>Label or quantity</source>
        <translation>Rótulo ou grandeza</translation>
    </message>
    <message>
        <source>Not known for these images.</source>
        <translation>Não se sabe para estas imagens.</translation>
    </message>
    <message>
        <source>On: drag around points to select them. Off: drag to zoom. The wheel zooms, Shift+drag moves, a double click shows everything.</source>
        <translation>Ligado: arraste em volta dos pontos para selecioná-los. Desligado: arraste para ampliar. A roda amplia, Shift+arrastar move, um clique duplo mostra tudo.</translation>
    </message>
    <message>
        <source>The label or quantity that the points are colored by.</source>
        <translation>O rótulo ou a grandeza que dá a cor dos pontos.</translation>
    </message>
    <message>
        <source>What the colors mean</source>
        <translation>O que as cores significam</translation>
    </message>
</context>
<context>
    <name>MapForm</name>
    <message>
        <source>A map is being computed.</source>
        <translation>Um mapa está sendo calculado.</translation>
    </message>
    <message>
        <source>All images</source>
        <translation>Todas as imagens</translation>
    </message>
    <message>
        <source>Before the head</source>
        <translation>Antes da cabeça</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Cancels the map. The previous map is kept.</source>
        <translation>Cancela o mapa. O mapa anterior é mantido.</translation>
    </message>
    <message>
        <source>Draw the map</source>
        <translation>Desenhar o mapa</translation>
    </message>
    <message>
        <source>Images on the map</source>
        <translation>Imagens no mapa</translation>
    </message>
    <message>
        <source>Layer whose features are mapped</source>
        <translation>Camada cujas características são mapeadas</translation>
    </message>
    <message>
        <source>Method of the map</source>
        <translation>Método do mapa</translation>
    </message>
    <message>
        <source>PCA</source>
        <translation>PCA</translation>
    </message>
    <message>
        <source>Plots each image as a point. Similar images are close together.</source>
        <translation>Mostra cada imagem como um ponto. Imagens semelhantes ficam próximas.</translation>
    </message>
    <message>
        <source>Test images</source>
        <translation>Imagens de teste</translation>
    </message>
    <message>
        <source>Training images</source>
        <translation>Imagens de treino</translation>
    </message>
    <message>
        <source>Validation images</source>
        <translation>Imagens de validação</translation>
    </message>
    <message>
        <source>t-SNE</source>
        <translation>t-SNE</translation>
    </message>
</context>
<context>
    <name>MapPanel</name>
    <message>
        <source>Drag a line around points to see their images.</source>
        <translation>Arraste uma linha em volta de pontos para ver as imagens deles.</translation>
    </message>
    <message>
        <source>Images of the map</source>
        <translation>Imagens do mapa</translation>
    </message>
    <message>
        <source>Images of the selected points. Double-click one to inspect it.</source>
        <translation>Imagens dos pontos selecionados. Clique duas vezes em uma para inspecioná-la.</translation>
    </message>
    <message>
        <source>Map of the images</source>
        <translation>Mapa das imagens</translation>
    </message>
    <message>
        <source>No map yet</source>
        <translation>Nenhum mapa ainda</translation>
    </message>
    <message>
        <source>Plots each image as a point. Similar images are close together, and outliers stand apart.</source>
        <translation>Mostra cada imagem como um ponto. Imagens semelhantes ficam próximas, e as atípicas, afastadas.</translation>
    </message>
    <message>
        <source>Wrong predictions</source>
        <translation>Previsões erradas</translation>
    </message>
    <message>
        <source>the first {count} are shown</source>
        <translation>as primeiras {count} são mostradas</translation>
    </message>
    <message>
        <source>the map explains {share} of the variance</source>
        <translation>o mapa explica {share} da variância</translation>
    </message>
    <message>
        <source>{count} images selected</source>
        <translation>{count} imagens selecionadas</translation>
    </message>
    <message>
        <source>{count} images, layer {layer}</source>
        <translation>{count} imagens, camada {layer}</translation>
    </message>
    <message>
        <source>{wrong} wrong predictions</source>
        <translation>{wrong} previsões erradas</translation>
    </message>
</context>
<context>
    <name>MeanImages</name>
    <message>
        <source>Mean image of {split}</source>
        <translation>Imagem média de {split}</translation>
    </message>
    <message>
        <source>Mean, {split}</source>
        <translation>Média, {split}</translation>
    </message>
</context>
<context>
    <name>MetricCharts</name>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
</context>
<context>
    <name>Mistakes</name>
    <message>
        <source>Mistakes</source>
        <translation>Erros</translation>
    </message>
    <message>
        <source>No mistakes: all predictions are correct.</source>
        <translation>Nenhum erro: todas as previsões estão corretas.</translation>
    </message>
    <message>
        <source>The dataset has no validation images.</source>
        <translation>O conjunto de dados não tem imagens de validação.</translation>
    </message>
</context>
<context>
    <name>ModelAnswer</name>
    <message>
        <source>Remove {model} from the comparison</source>
        <translation>Remover {model} da comparação</translation>
    </message>
</context>
<context>
    <name>MoreLine</name>
    <message numerus="yes">
        <source>%n changed</source>
        <translation><numerusform>%n alterada</numerusform><numerusform>%n alteradas</numerusform></translation>
    </message>
    <message>
        <source>Always shows all settings, in all forms.</source>
        <translation>Mostra sempre todas as configurações, em todos os formulários.</translation>
    </message>
    <message>
        <source>Less</source>
        <translation>Menos</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mais</translation>
    </message>
    <message>
        <source>Rarely needed settings. The defaults are good for most cases.</source>
        <translation>Configurações raramente necessárias. Os padrões servem na maioria dos casos.</translation>
    </message>
    <message>
        <source>Show all settings</source>
        <translation>Mostrar todas as configurações</translation>
    </message>
    <message>
        <source>Show fewer settings</source>
        <translation>Mostrar menos configurações</translation>
    </message>
    <message>
        <source>Show more settings</source>
        <translation>Mostrar mais configurações</translation>
    </message>
</context>
<context>
    <name>NameRow</name>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Name shown in lists. You can rename it later.</source>
        <translation>Nome exibido nas listas. Você pode renomear depois.</translation>
    </message>
</context>
<context>
    <name>NetworkCard</name>
    <message>
        <source>Network {name}</source>
        <translation>Rede {name}</translation>
    </message>
    <message>
        <source>drawn for {width} × {height}</source>
        <translation>desenhada para {width} × {height}</translation>
    </message>
    <message>
        <source>from {width} × {height} px</source>
        <translation>a partir de {width} × {height} px</translation>
    </message>
    <message>
        <source>{number} weights · {needs}</source>
        <translation>{number} pesos · {needs}</translation>
    </message>
</context>
<context>
    <name>NetworkDetails</name>
    <message>
        <source>(“{dataset}”)</source>
        <translation>(“{dataset}”)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Excluir</translation>
    </message>
    <message>
        <source>For {width} × {height} pixels in {color} and {outputs}</source>
        <translation>Para {width} × {height} pixels em {color} e {outputs}</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Camadas</translation>
    </message>
    <message>
        <source>Memory per image</source>
        <translation>Memória por imagem</translation>
    </message>
    <message>
        <source>Moves the drawing to the trash. Runs that used it keep their copy.</source>
        <translation>Move o desenho para a lixeira. Os treinos que o usaram mantêm sua cópia.</translation>
    </message>
    <message>
        <source>Multiply-adds</source>
        <translation>Multiplicações e somas</translation>
    </message>
    <message>
        <source>Name of the network</source>
        <translation>Nome da rede</translation>
    </message>
    <message>
        <source>Name shown in lists.</source>
        <translation>Nome mostrado nas listas.</translation>
    </message>
    <message>
        <source>Open drawing</source>
        <translation>Abrir desenho</translation>
    </message>
    <message>
        <source>Opens a new run with this network.</source>
        <translation>Abre um novo treino com esta rede.</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>Shows all layers in the designer, where you can change them.</source>
        <translation>Mostra todas as camadas no desenhador, onde você pode mudá-las.</translation>
    </message>
    <message>
        <source>Train this</source>
        <translation>Treinar esta</translation>
    </message>
    <message>
        <source>Your own network.</source>
        <translation>Sua própria rede.</translation>
    </message>
    <message>
        <source>color</source>
        <translation>cores</translation>
    </message>
    <message>
        <source>gray</source>
        <translation>cinza</translation>
    </message>
</context>
<context>
    <name>NetworkPanel</name>
    <message>
        <source>Channels</source>
        <translation>Canais</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Drag layers from the left onto the canvas or onto a wire. Drag from one port to another to connect them. Select a layer to see and change its settings.</source>
        <translation>Arraste camadas da esquerda para a tela ou para uma conexão. Arraste de uma porta a outra para conectá-las. Selecione uma camada para ver e alterar suas configurações.</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Altura</translation>
    </message>
    <message>
        <source>Input size of the network.</source>
        <translation>Tamanho da entrada da rede.</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Camadas</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Name shown in the gallery and in runs.</source>
        <translation>Nome mostrado na galeria e nos treinos.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Number of outputs of the network.</source>
        <translation>Número de saídas da rede.</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>Receptive field</source>
        <translation>Campo receptivo</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>Treináveis</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Largura</translation>
    </message>
</context>
<context>
    <name>NetworkPicker</name>
    <message>
        <source>From papers</source>
        <translation>De artigos</translation>
    </message>
    <message>
        <source>Look at them…</source>
        <translation>Ver as redes…</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Pretrained</source>
        <translation>Pré-treinadas</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>Segmentação</translation>
    </message>
    <message>
        <source>Shows all networks with their sizes and drawings.</source>
        <translation>Mostra todas as redes com tamanhos e desenhos.</translation>
    </message>
    <message>
        <source>The network to train. Larger networks are more capable and take longer.</source>
        <translation>A rede a treinar. Redes maiores são mais capazes e demoram mais.</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>Suas</translation>
    </message>
    <message>
        <source>Your own network.</source>
        <translation>Sua própria rede.</translation>
    </message>
    <message>
        <source>{name}, as in that run</source>
        <translation>{name}, como nesse treino</translation>
    </message>
    <message>
        <source>{name}, images enlarged</source>
        <translation>{name}, imagens ampliadas</translation>
    </message>
</context>
<context>
    <name>NewEvaluation</name>
    <message>
        <source>After epoch {epoch}</source>
        <translation>Depois da época {epoch}</translation>
    </message>
    <message>
        <source>Also evaluates blurred, noisy, compressed, rotated, darkened and covered images.</source>
        <translation>Avalia também imagens desfocadas, ruidosas, comprimidas, giradas, escurecidas e cobertas.</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Escolha um modelo</translation>
    </message>
    <message>
        <source>Choose a run instead</source>
        <translation>Escolher um treino em vez disso</translation>
    </message>
    <message>
        <source>Choose the dataset to evaluate the model file on.</source>
        <translation>Escolha o conjunto de dados para avaliar o arquivo de modelo.</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Dataset of the run</source>
        <translation>Conjunto do treino</translation>
    </message>
    <message>
        <source>Dataset to evaluate on. Another one shows how well the model generalizes.</source>
        <translation>Conjunto de dados da avaliação. Outro mostra o quanto o modelo generaliza.</translation>
    </message>
    <message>
        <source>Epoch whose weights are evaluated.</source>
        <translation>Época cujos pesos são avaliados.</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Avaliar</translation>
    </message>
    <message>
        <source>Evaluates a Keras model that was trained outside Studio.</source>
        <translation>Avalia um modelo Keras treinado fora do Studio.</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Keras models (*.keras *.h5 *.hdf5)</source>
        <translation>Modelos do Keras (*.keras *.h5 *.hdf5)</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Model file…</source>
        <translation>Arquivo de modelo…</translation>
    </message>
    <message>
        <source>New evaluation</source>
        <translation>Nova avaliação</translation>
    </message>
    <message>
        <source>Predicts each image and compares the predictions with the labels.</source>
        <translation>Prevê cada imagem e compara as previsões com os rótulos.</translation>
    </message>
    <message>
        <source>Preparing the evaluation…</source>
        <translation>Preparando a avaliação…</translation>
    </message>
    <message>
        <source>Robustness</source>
        <translation>Robustez</translation>
    </message>
    <message>
        <source>Stored model</source>
        <translation>Modelo armazenado</translation>
    </message>
    <message>
        <source>Test images were not used for training, so their results are unbiased.</source>
        <translation>As imagens de teste não foram usadas no treino; por isso, seus resultados não são enviesados.</translation>
    </message>
    <message>
        <source>Train a network first, or choose a model file.</source>
        <translation>Treine uma rede primeiro, ou escolha um arquivo de modelo.</translation>
    </message>
</context>
<context>
    <name>NewRun</name>
    <message>
        <source>Choose a dataset first.</source>
        <translation>Escolha um conjunto de dados primeiro.</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Dados</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Fix the errors under “Summary” first.</source>
        <translation>Corrija primeiro os erros em “Resumo”.</translation>
    </message>
    <message>
        <source>Fix the marked fields first.</source>
        <translation>Corrija primeiro os campos marcados.</translation>
    </message>
    <message>
        <source>Name of the run</source>
        <translation>Nome do treino</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>Novo treino</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Receita</translation>
    </message>
    <message>
        <source>Starts the run. It continues if you close the window.</source>
        <translation>Inicia o treino. Ele continua se você fechar a janela.</translation>
    </message>
    <message>
        <source>The images that the network trains on.</source>
        <translation>As imagens de treino da rede.</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Treinar</translation>
    </message>
</context>
<context>
    <name>NewStudy</name>
    <message>
        <source>New benchmark</source>
        <translation>Novo benchmark</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operações</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Previsão</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Types of benchmarks</source>
        <translation>Tipos de benchmarks</translation>
    </message>
</context>
<context>
    <name>NewSweep</name>
    <message>
        <source>Checking…</source>
        <translation>Verificando…</translation>
    </message>
    <message>
        <source>Choose a dataset.</source>
        <translation>Escolha um conjunto de dados.</translation>
    </message>
    <message>
        <source>Fix the errors first.</source>
        <translation>Corrija os erros primeiro.</translation>
    </message>
    <message>
        <source>Fix the marked fields.</source>
        <translation>Corrija os campos marcados.</translation>
    </message>
    <message>
        <source>It was asked for.</source>
        <translation>O pedido foi feito.</translation>
    </message>
    <message>
        <source>Name of the sweep</source>
        <translation>Nome da varredura</translation>
    </message>
    <message>
        <source>New sweep</source>
        <translation>Nova varredura</translation>
    </message>
    <message>
        <source>Search space</source>
        <translation>Espaço de busca</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Iniciar</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumo</translation>
    </message>
    <message>
        <source>Trains a network for each combination, one after another.</source>
        <translation>Treina uma rede para cada combinação, uma depois da outra.</translation>
    </message>
</context>
<context>
    <name>NodePanel</name>
    <message>
        <source>Area of the image that one output value depends on</source>
        <translation>Área da imagem da qual depende um valor da saída</translation>
    </message>
    <message>
        <source>For one image in 32 bits. Training needs this for each image of a batch</source>
        <translation>Para uma imagem em 32 bits. O treino precisa disso para cada imagem do lote</translation>
    </message>
    <message>
        <source>Makes the output of this layer the output of the network.</source>
        <translation>Torna a saída desta camada a saída da rede.</translation>
    </message>
    <message>
        <source>Multiply-adds</source>
        <translation>Mult. e somas</translation>
    </message>
    <message>
        <source>Multiply-adds for one image</source>
        <translation>Multiplicações e somas para uma imagem</translation>
    </message>
    <message>
        <source>Name of the layer</source>
        <translation>Nome da camada</translation>
    </message>
    <message>
        <source>Name of the layer: letters, digits and underscores</source>
        <translation>Nome da camada: letras, dígitos e sublinhados</translation>
    </message>
    <message>
        <source>Number of weights of this layer</source>
        <translation>Número de pesos desta camada</translation>
    </message>
    <message>
        <source>Output memory</source>
        <translation>Memória da saída</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>Receptive field</source>
        <translation>Campo receptivo</translation>
    </message>
    <message>
        <source>Shape in</source>
        <translation>Formato de entrada</translation>
    </message>
    <message>
        <source>Shape of the input</source>
        <translation>Formato da entrada</translation>
    </message>
    <message>
        <source>Shape of the output</source>
        <translation>Formato da saída</translation>
    </message>
    <message>
        <source>Shape out</source>
        <translation>Formato de saída</translation>
    </message>
    <message>
        <source>Studio does not support this layer.</source>
        <translation>O Studio não suporta esta camada.</translation>
    </message>
    <message>
        <source>Use as output</source>
        <translation>Usar como saída</translation>
    </message>
</context>
<context>
    <name>Norms</name>
    <message>
        <source>All weights of the layer.</source>
        <translation>Todos os pesos da camada.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Mudança</translation>
    </message>
    <message>
        <source>Change since the previous validation, relative to the weights.</source>
        <translation>Mudança desde a validação anterior, em relação aos pesos.</translation>
    </message>
    <message>
        <source>Drawn norm</source>
        <translation>Norma desenhada</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>Gradiente</translation>
    </message>
    <message>
        <source>Gradient on a fixed batch of training images.</source>
        <translation>Gradiente em um lote fixo de imagens de treino.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Camada</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Camadas</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norma</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>Normas</translation>
    </message>
    <message>
        <source>Norms by layer</source>
        <translation>Normas por camada</translation>
    </message>
    <message>
        <source>This network has no trained layers.</source>
        <translation>Esta rede não tem camadas treinadas.</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Pesos</translation>
    </message>
</context>
<context>
    <name>NotePanel</name>
    <message>
        <source>Note</source>
        <translation>Nota</translation>
    </message>
    <message>
        <source>Shown on the drawing. It does not change the network.</source>
        <translation>Mostrado no desenho. Não altera a rede.</translation>
    </message>
    <message>
        <source>Text of the note</source>
        <translation>Texto da nota</translation>
    </message>
</context>
<context>
    <name>Notes</name>
    <message>
        <source>Group</source>
        <translation>Grupo</translation>
    </message>
    <message>
        <source>No group</source>
        <translation>Sem grupo</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Notes: what you tried and the result …</source>
        <translation>Notas: o que você testou e o resultado …</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Etiquetas</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Tags, separadas por vírgulas</translation>
    </message>
</context>
<context>
    <name>NoticeCard</name>
    <message>
        <source>Close this notice</source>
        <translation>Fechar este aviso</translation>
    </message>
</context>
<context>
    <name>NoticeStack</name>
    <message>
        <source>Notices</source>
        <translation>Avisos</translation>
    </message>
</context>
<context>
    <name>NumberEditor</name>
    <message>
        <source>automatic</source>
        <translation>automático</translation>
    </message>
</context>
<context>
    <name>OnlyRow</name>
    <message>
        <source>All classes</source>
        <translation>Todas as classes</translation>
    </message>
    <message>
        <source>At least one split is needed</source>
        <translation>É necessária pelo menos uma divisão</translation>
    </message>
    <message>
        <source>Choose the classes to import; without a choice, all are imported.</source>
        <translation>Escolha as classes a importar; sem escolha, todas são importadas.</translation>
    </message>
    <message>
        <source>Import the images of this split: {split}</source>
        <translation>Importar as imagens desta divisão: {split}</translation>
    </message>
    <message>
        <source>Only images of ticked splits are imported.</source>
        <translation>Só as imagens das divisões marcadas são importadas.</translation>
    </message>
    <message>
        <source>{n} of {total} classes</source>
        <translation>{n} de {total} classes</translation>
    </message>
</context>
<context>
    <name>OperationsForm</name>
    <message>
        <source>Convolution, matrix product, addition and max pooling: as plain loops, in NumPy, and in the framework on each device.</source>
        <translation>Convolução, produto de matrizes, adição e max pooling: com laços simples, no NumPy e no framework em cada dispositivo.</translation>
    </message>
</context>
<context>
    <name>OperationsPanel</name>
    <message>
        <source>Height and width</source>
        <translation>Altura e largura</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Milissegundos</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operações</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
</context>
<context>
    <name>OutputCharts</name>
    <message>
        <source>Label or quantity shown in the charts.</source>
        <translation>Rótulo ou grandeza mostrada nos gráficos.</translation>
    </message>
</context>
<context>
    <name>OverlayBar</name>
    <message>
        <source>Available only for overlays.</source>
        <translation>Disponível apenas para a sobreposição.</translation>
    </message>
    <message>
        <source>How masks are drawn over the images.</source>
        <translation>Como as máscaras são desenhadas sobre as imagens.</translation>
    </message>
    <message>
        <source>Image only</source>
        <translation>Só a imagem</translation>
    </message>
    <message>
        <source>Mask display</source>
        <translation>Exibição das máscaras</translation>
    </message>
    <message>
        <source>Mask only</source>
        <translation>Só a máscara</translation>
    </message>
    <message>
        <source>Mask opacity</source>
        <translation>Opacidade das máscaras</translation>
    </message>
    <message>
        <source>Outlines</source>
        <translation>Contornos</translation>
    </message>
    <message>
        <source>Overlay</source>
        <translation>Sobrepor</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>Overview of the drawing</source>
        <translation>Visão geral do desenho</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>A command, a page, a dataset, a run, a network…</source>
        <translation>Um comando, uma página, um conjunto de dados, um treino, uma rede…</translation>
    </message>
    <message>
        <source>Commands and records</source>
        <translation>Comandos e registros</translation>
    </message>
    <message>
        <source>Drag a layer onto the drawing, or press Enter to add it.</source>
        <translation>Arraste uma camada para o desenho, ou pressione Enter para adicioná-la.</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Resultados</translation>
    </message>
    <message>
        <source>Matches. Press Enter to run.</source>
        <translation>Resultados. Pressione Enter para executar.</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Nenhum resultado.</translation>
    </message>
    <message>
        <source>Search layers</source>
        <translation>Procurar camadas</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>Procurar ou executar um comando</translation>
    </message>
    <message>
        <source>Shows only layers whose name or description contains the text.</source>
        <translation>Mostra apenas as camadas cujo nome ou descrição contém o texto.</translation>
    </message>
    <message>
        <source>Type to find a command or page.</source>
        <translation>Digite para encontrar um comando ou uma página.</translation>
    </message>
</context>
<context>
    <name>PaletteItems</name>
    <message>
        <source>Command</source>
        <translation>Comando</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Trabalho</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Open the workspace {name}</source>
        <translation>Abrir o espaço de trabalho {name}</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Página</translation>
    </message>
    <message>
        <source>Pause {name}</source>
        <translation>Pausar {name}</translation>
    </message>
    <message>
        <source>Stop {name}</source>
        <translation>Parar {name}</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Espaço de trabalho</translation>
    </message>
    <message>
        <source>language translation</source>
        <translation>idioma tradução língua</translation>
    </message>
</context>
<context>
    <name>ParallelPlot</name>
    <message>
        <source>, {low} to {high}</source>
        <translation>, {low} a {high}</translation>
    </message>
    <message>
        <source>; {picked} of {count} trials selected</source>
        <translation>; {picked} de {count} tentativas selecionadas</translation>
    </message>
    <message>
        <source>Parallel coordinates</source>
        <translation>Coordenadas paralelas</translation>
    </message>
    <message>
        <source>{name}, axis {place} of {count}</source>
        <translation>{name}, eixo {place} de {count}</translation>
    </message>
</context>
<context>
    <name>ParallelView</name>
    <message>
        <source>Parallel</source>
        <translation>Paralelo</translation>
    </message>
</context>
<context>
    <name>ParetoView</name>
    <message>
        <source>A Pareto front needs two objectives. This sweep has one.</source>
        <translation>Uma fronteira de Pareto precisa de dois objetivos. Esta varredura tem um.</translation>
    </message>
    <message>
        <source>Horizontal</source>
        <translation>Horizontal</translation>
    </message>
    <message>
        <source>Pareto</source>
        <translation>Pareto</translation>
    </message>
    <message>
        <source>Pareto front of two objectives</source>
        <translation>Frente de Pareto de dois objetivos</translation>
    </message>
    <message>
        <source>Vertical</source>
        <translation>Vertical</translation>
    </message>
</context>
<context>
    <name>PathButtons</name>
    <message>
        <source>A file…</source>
        <translation>Um arquivo…</translation>
    </message>
    <message>
        <source>A folder…</source>
        <translation>Uma pasta…</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Escolha um arquivo</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Escolha uma pasta</translation>
    </message>
    <message>
        <source>Choose: {label}</source>
        <translation>Escolher: {label}</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Escolher…</translation>
    </message>
</context>
<context>
    <name>PictureInput</name>
    <message>
        <source>Address of a picture</source>
        <translation>Endereço de uma imagem</translation>
    </message>
    <message>
        <source>Choose pictures</source>
        <translation>Escolher imagens</translation>
    </message>
    <message>
        <source>Copy it again, or save it as a file and drop the file.</source>
        <translation>Copie-a de novo ou salve-a como arquivo e solte o arquivo.</translation>
    </message>
    <message>
        <source>For example https://host/picture.jpg.</source>
        <translation>Por exemplo https://host/picture.jpg.</translation>
    </message>
    <message>
        <source>From the web</source>
        <translation>Da web</translation>
    </message>
    <message>
        <source>Part of the screen</source>
        <translation>Parte da tela</translation>
    </message>
    <message>
        <source>Pasted picture</source>
        <translation>Imagem colada</translation>
    </message>
    <message>
        <source>Pictures ({pictures});;Videos ({videos});;Lists ({lists});;All files (*)</source>
        <translation>Imagens ({pictures});;Vídeos ({videos});;Listas ({lists});;Todos os arquivos (*)</translation>
    </message>
    <message>
        <source>The picture in the clipboard cannot be read.</source>
        <translation>Não é possível ler a imagem da área de transferência.</translation>
    </message>
    <message>
        <source>The video contains no pictures.</source>
        <translation>O vídeo não contém imagens.</translation>
    </message>
    <message>
        <source>“{text}” is not a web address.</source>
        <translation>“{text}” não é um endereço da web.</translation>
    </message>
</context>
<context>
    <name>PicturePanel</name>
    <message>
        <source>Choose a picture</source>
        <translation>Escolha uma imagem</translation>
    </message>
    <message>
        <source>Drop one here, or open one. On the map, click a point or double click a selected image.</source>
        <translation>Solte uma aqui, ou abra uma. No mapa, clique em um ponto ou dê um duplo clique em uma imagem selecionada.</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Mapa de calor</translation>
    </message>
    <message>
        <source>Inspects another picture.</source>
        <translation>Inspeciona outra imagem.</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Camadas</translation>
    </message>
    <message>
        <source>Open a picture…</source>
        <translation>Abrir uma imagem…</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Abrir…</translation>
    </message>
    <message>
        <source>Shows the activations of each layer for a picture, and the areas that the prediction depends on.</source>
        <translation>Mostra as ativações de cada camada para uma imagem e as áreas de que a previsão depende.</translation>
    </message>
    <message>
        <source>{name} ({label})</source>
        <translation>{name} ({label})</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>Picture</source>
        <translation>Imagem</translation>
    </message>
</context>
<context>
    <name>PlanCards</name>
    <message>
        <source>Fix the marked fields first.</source>
        <translation>Corrija primeiro os campos marcados.</translation>
    </message>
    <message>
        <source>New runs start with these settings.</source>
        <translation>Novos treinos começam com estas configurações.</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Otimizador</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>Use these as my defaults</source>
        <translation>Usar estes como meus padrões</translation>
    </message>
</context>
<context>
    <name>PredictionChip</name>
    <message>
        <source>All predictions</source>
        <translation>Todas as previsões</translation>
    </message>
    <message>
        <source>Evaluating “{run}” on this dataset…</source>
        <translation>Avaliando “{run}” neste conjunto de dados…</translation>
    </message>
    <message>
        <source>Mistakes</source>
        <translation>Erros</translation>
    </message>
    <message>
        <source>Predicted: {name}</source>
        <translation>Previsão: {name}</translation>
    </message>
    <message>
        <source>Predictions of the run</source>
        <translation>Previsões do treino</translation>
    </message>
    <message>
        <source>Predictions of {run}. Show images without them</source>
        <translation>Previsões de {run}. Mostrar as imagens sem elas</translation>
    </message>
    <message>
        <source>Show images without predictions again</source>
        <translation>Mostrar de novo as imagens sem previsões</translation>
    </message>
    <message>
        <source>{n} images were predicted</source>
        <translation>{n} imagens foram previstas</translation>
    </message>
</context>
<context>
    <name>PredictionForm</name>
    <message>
        <source>Exports the network in each format and precision, and measures each with its own runtime in a separate process.</source>
        <translation>Exporta a rede em cada formato e precisão e mede cada um com seu próprio runtime em um processo separado.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Train a network first.</source>
        <translation>Treine uma rede primeiro.</translation>
    </message>
</context>
<context>
    <name>PredictionPanel</name>
    <message>
        <source>Batch size</source>
        <translation>Tamanho do lote</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formatos</translation>
    </message>
    <message>
        <source>Formats and batch sizes</source>
        <translation>Formatos e tamanhos de lote</translation>
    </message>
    <message>
        <source>Images per second</source>
        <translation>Imagens por segundo</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latência</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Milissegundos</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Vazão</translation>
    </message>
</context>
<context>
    <name>PredictionSaver</name>
    <message>
        <source>Choose a folder for the files</source>
        <translation>Escolha uma pasta para os arquivos</translation>
    </message>
    <message>
        <source>Files of {n} images saved in {folder}.</source>
        <translation>Arquivos de {n} imagens salvos em {folder}.</translation>
    </message>
    <message>
        <source>Masks as PNG, class indexes…</source>
        <translation>Máscaras em PNG, índices das classes…</translation>
    </message>
    <message>
        <source>Masks as PNG, colors…</source>
        <translation>Máscaras em PNG, cores…</translation>
    </message>
    <message>
        <source>Predictions saved to {file}.</source>
        <translation>Previsões salvas em {file}.</translation>
    </message>
    <message>
        <source>Regions as COCO JSON…</source>
        <translation>Regiões em COCO JSON…</translation>
    </message>
    <message>
        <source>Save the answers</source>
        <translation>Salvar as respostas</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabela (*.csv)</translation>
    </message>
    <message>
        <source>Table of areas (CSV)…</source>
        <translation>Tabela de áreas (CSV)…</translation>
    </message>
</context>
<context>
    <name>PredictionTile</name>
    <message>
        <source>Class: {name}</source>
        <translation>Classe: {name}</translation>
    </message>
    <message>
        <source>{prediction}: wrong, it is {label}</source>
        <translation>{prediction}: errado, é {label}</translation>
    </message>
</context>
<context>
    <name>PreflightCard</name>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Choose a dataset and fix the marked fields first.</source>
        <translation>Escolha um conjunto de dados e corrija primeiro os campos marcados.</translation>
    </message>
    <message>
        <source>Estimates time per epoch and peak memory before you start.</source>
        <translation>Estima o tempo por época e o pico de memória antes de começar.</translation>
    </message>
    <message>
        <source>Find rate</source>
        <translation>Encontrar taxa</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Medir</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Medir de novo</translation>
    </message>
    <message>
        <source>Preflight check</source>
        <translation>Verificação prévia</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Na fila</translation>
    </message>
    <message>
        <source>Stops measuring.</source>
        <translation>Para de medir.</translation>
    </message>
    <message>
        <source>The head is fitted directly, so there are no steps to measure.</source>
        <translation>A cabeça é ajustada diretamente; não há passos a medir.</translation>
    </message>
    <message>
        <source>The plan has changed. Measure again.</source>
        <translation>O plano mudou. Meça de novo.</translation>
    </message>
    <message>
        <source>Trains a few steps to estimate the time per epoch and the peak memory.</source>
        <translation>Treina alguns passos para estimar o tempo por época e o pico de memória.</translation>
    </message>
    <message>
        <source>Trains a few steps with increasing learning rates and suggests one.</source>
        <translation>Treina alguns passos com taxas de aprendizado crescentes e sugere uma.</translation>
    </message>
</context>
<context>
    <name>PreflightFigures</name>
    <message>
        <source>Apply</source>
        <translation>Aplicar</translation>
    </message>
    <message>
        <source>Batches of {size} images do not fit into memory.</source>
        <translation>Lotes de {size} imagens não cabem na memória.</translation>
    </message>
    <message>
        <source>Images per second</source>
        <translation>Imagens por segundo</translation>
    </message>
    <message>
        <source>Largest batch</source>
        <translation>Maior lote</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memória</translation>
    </message>
    <message>
        <source>Not reported by the device</source>
        <translation>Não informado pelo dispositivo</translation>
    </message>
    <message>
        <source>Sets the batch size to the largest one that fits into memory.</source>
        <translation>Define o maior tamanho de lote que cabe na memória.</translation>
    </message>
    <message>
        <source>Step: {step} ms. Validation: {validation}. Start: {start}, including {compiling} to compile.</source>
        <translation>Passo: {step} ms. Validação: {validation}. Início: {start}, incluindo {compiling} para compilar.</translation>
    </message>
    <message>
        <source>The plan already uses it.</source>
        <translation>O plano já o usa.</translation>
    </message>
    <message>
        <source>Time per epoch</source>
        <translation>Tempo por época</translation>
    </message>
    <message>
        <source>Use the largest batch</source>
        <translation>Usar o maior lote</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>Treino inteiro</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>desconhecido</translation>
    </message>
    <message>
        <source>{used} of {free}</source>
        <translation>{used} de {free}</translation>
    </message>
</context>
<context>
    <name>PretrainedCard</name>
    <message>
        <source>Choose a dataset first.</source>
        <translation>Escolha um conjunto de dados primeiro.</translation>
    </message>
    <message>
        <source>Choose a dataset that fits this network first.</source>
        <translation>Escolha primeiro um conjunto de dados adequado a esta rede.</translation>
    </message>
    <message>
        <source>Choose pretrained weights first: a file or a run.</source>
        <translation>Escolha primeiro pesos pré-treinados: um arquivo ou um treino.</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Congelar</translation>
    </message>
    <message>
        <source>ImageNet weights exist only for networks marked “Pretrained”.</source>
        <translation>Só há pesos ImageNet para as redes marcadas como pré-treinadas.</translation>
    </message>
    <message>
        <source>Its layers cannot be listed for freezing: {reason}</source>
        <translation>Não é possível listar suas camadas para congelamento: {reason}</translation>
    </message>
    <message>
        <source>Pretrained weights</source>
        <translation>Pesos pré-treinados</translation>
    </message>
    <message>
        <source>Pretrained weights need far fewer images.</source>
        <translation>Pesos pré-treinados precisam de muito menos imagens.</translation>
    </message>
    <message>
        <source>Start from</source>
        <translation>Começar de</translation>
    </message>
    <message>
        <source>{recipe} (recommended)</source>
        <translation>{recipe} (recomendado)</translation>
    </message>
</context>
<context>
    <name>PreviewCard</name>
    <message>
        <source>An original image of {name}</source>
        <translation>Uma imagem original de {name}</translation>
    </message>
    <message>
        <source>As it is</source>
        <translation>Como está</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Prévia</translation>
    </message>
    <message>
        <source>The same image of {name} after the import</source>
        <translation>A mesma imagem de {name} depois da importação</translation>
    </message>
    <message>
        <source>{n} bytes</source>
        <translation>{n} bytes</translation>
    </message>
</context>
<context>
    <name>PreviewPanel</name>
    <message>
        <source>All pictures with their predictions. Press Enter to enlarge one.</source>
        <translation>Todas as imagens com suas previsões. Pressione Enter para ampliar uma.</translation>
    </message>
    <message>
        <source>All predictions as a table that you can sort.</source>
        <translation>Todas as previsões em uma tabela que você pode ordenar.</translation>
    </message>
    <message>
        <source>Drop a picture</source>
        <translation>Solte uma imagem</translation>
    </message>
    <message>
        <source>It may be damaged, or not a picture.</source>
        <translation>Ela pode estar danificada ou não ser uma imagem.</translation>
    </message>
    <message>
        <source>No pictures</source>
        <translation>Nenhuma imagem</translation>
    </message>
    <message>
        <source>One, several, or a folder. Pasting works as well.</source>
        <translation>Uma, várias ou uma pasta. Colar também funciona.</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>This picture cannot be read</source>
        <translation>Esta imagem não pode ser lida</translation>
    </message>
</context>
<context>
    <name>QueuePanel</name>
    <message>
        <source>Add to dataset</source>
        <translation>Adicionar ao conjunto</translation>
    </message>
    <message>
        <source>Adds the corrected pictures as a new version of the dataset.</source>
        <translation>Adiciona as imagens corrigidas como uma nova versão do conjunto de dados.</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Voltar</translation>
    </message>
    <message>
        <source>Choose pictures first.</source>
        <translation>Escolha imagens primeiro.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Corrected pictures</source>
        <translation>Imagens corrigidas</translation>
    </message>
    <message>
        <source>Corrected pictures for the next training.</source>
        <translation>Imagens corrigidas para o próximo treino.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Remover</translation>
    </message>
    <message>
        <source>Retrain from here</source>
        <translation>Retreinar daqui</translation>
    </message>
    <message>
        <source>Returns to the picture. Corrections are kept.</source>
        <translation>Volta para a imagem. As correções são mantidas.</translation>
    </message>
    <message>
        <source>Review queue</source>
        <translation>Fila de revisão</translation>
    </message>
    <message>
        <source>Train with the corrections</source>
        <translation>Treinar com as correções</translation>
    </message>
</context>
<context>
    <name>QueueRow</name>
    <message>
        <source>Earlier</source>
        <translation>Mais cedo</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>Reter</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Mais tarde</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>Liberar</translation>
    </message>
    <message>
        <source>Remove from the queue</source>
        <translation>Remover da fila</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Pages</source>
        <translation>Páginas</translation>
    </message>
</context>
<context>
    <name>Rate</name>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Taxa de aprendizado</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Planejada</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Taxa</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Usada</translation>
    </message>
</context>
<context>
    <name>RateSearch</name>
    <message>
        <source>Apply</source>
        <translation>Aplicar</translation>
    </message>
    <message>
        <source>Sets the suggested learning rate.</source>
        <translation>Define a taxa de aprendizado sugerida.</translation>
    </message>
    <message>
        <source>The plan already uses it.</source>
        <translation>O plano já o usa.</translation>
    </message>
    <message>
        <source>Use the suggested learning rate</source>
        <translation>Usar a taxa de aprendizado sugerida</translation>
    </message>
    <message>
        <source>suggested</source>
        <translation>sugerida</translation>
    </message>
    <message>
        <source>{metric} by learning rate</source>
        <translation>{metric} por taxa de aprendizado</translation>
    </message>
</context>
<context>
    <name>RecipePanel</name>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Classes found</source>
        <translation>Classes encontradas</translation>
    </message>
    <message>
        <source>Classes or targets found, with the number of images.</source>
        <translation>Classes ou alvos encontrados, com o número de imagens.</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Select at least one column.</source>
        <translation>Selecione pelo menos uma coluna.</translation>
    </message>
    <message>
        <source>Select at least two classes.</source>
        <translation>Selecione pelo menos duas classes.</translation>
    </message>
    <message>
        <source>Select at least two.</source>
        <translation>Selecione pelo menos duas.</translation>
    </message>
    <message>
        <source>Tick at least one.</source>
        <translation>Marque pelo menos uma.</translation>
    </message>
</context>
<context>
    <name>RecommendationCard</name>
    <message>
        <source>Recommendation</source>
        <translation>Recomendação</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>recomendado</translation>
    </message>
    <message>
        <source>{size} download</source>
        <translation>download de {size}</translation>
    </message>
</context>
<context>
    <name>RecordName</name>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Name shown in lists. You can rename it later.</source>
        <translation>Nome exibido nas listas. Você pode renomear depois.</translation>
    </message>
</context>
<context>
    <name>Reporting</name>
    <message>
        <source>1 error</source>
        <translation>1 erro</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Aplicar</translation>
    </message>
    <message>
        <source>Apply a hint</source>
        <translation>Aplicar uma sugestão</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>Calculando…</translation>
    </message>
    <message>
        <source>Fix the errors listed below first.</source>
        <translation>Corrija primeiro os erros listados abaixo.</translation>
    </message>
    <message>
        <source>No figures</source>
        <translation>Sem números</translation>
    </message>
    <message>
        <source>Ready to train</source>
        <translation>Pronta para treinar</translation>
    </message>
    <message>
        <source>Shapes cannot be computed: the engine failed.</source>
        <translation>Os formatos não podem ser calculados: o motor falhou.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Tentar de novo</translation>
    </message>
    <message>
        <source>{0} errors</source>
        <translation>{0} erros</translation>
    </message>
</context>
<context>
    <name>ResultsGrid</name>
    <message>
        <source>Pictures with predictions</source>
        <translation>Imagens com previsões</translation>
    </message>
</context>
<context>
    <name>ResultsTable</name>
    <message>
        <source>Answers as a table</source>
        <translation>Respostas como tabela</translation>
    </message>
</context>
<context>
    <name>RobustnessTab</name>
    <message>
        <source>Accuracy on {count} of the images, by strength of the corruption.</source>
        <translation>Acurácia em {count} das imagens, por intensidade da corrupção.</translation>
    </message>
    <message>
        <source>Not measured. Select “Robustness” and evaluate again.</source>
        <translation>Não medida. Marque “Robustez” e avalie de novo.</translation>
    </message>
</context>
<context>
    <name>RunActions</name>
    <message>
        <source>Available after the first epoch.</source>
        <translation>Disponível após a primeira época.</translation>
    </message>
    <message>
        <source>Ends the run after this step and keeps the model.</source>
        <translation>Encerra o treino após este passo e mantém o modelo.</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Avaliar</translation>
    </message>
    <message>
        <source>Evaluates the model on the test split.</source>
        <translation>Avalia o modelo na divisão de teste.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Exports the model as files that work without Studio.</source>
        <translation>Exporta o modelo como arquivos que funcionam sem o Studio.</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>Mover para a lixeira</translation>
    </message>
    <message>
        <source>New run with this plan</source>
        <translation>Novo treino com este plano</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>Prever</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Retomar</translation>
    </message>
    <message>
        <source>Resumes exactly where it stopped.</source>
        <translation>Retoma exatamente de onde parou.</translation>
    </message>
    <message>
        <source>Runs the model on your own pictures.</source>
        <translation>Aplica o modelo às suas próprias imagens.</translation>
    </message>
    <message>
        <source>Saves a checkpoint and frees the device. Resume continues from it exactly.</source>
        <translation>Salva um checkpoint e libera o dispositivo. Retomar continua exatamente dali.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Train again</source>
        <translation>Treinar de novo</translation>
    </message>
</context>
<context>
    <name>RunCard</name>
    <message>
        <source>Best {metric}: {value}</source>
        <translation>Melhor {metric}: {value}</translation>
    </message>
    <message>
        <source>Run {name}</source>
        <translation>Treino {name}</translation>
    </message>
    <message>
        <source>Sweep {name}</source>
        <translation>Varredura {name}</translation>
    </message>
</context>
<context>
    <name>RunCharts</name>
    <message>
        <source>Steps</source>
        <translation>Passos</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Train {metric}</source>
        <translation>{metric} de treino</translation>
    </message>
    <message>
        <source>Val</source>
        <translation>Validação</translation>
    </message>
    <message>
        <source>Val {metric}</source>
        <translation>{metric} de validação</translation>
    </message>
    <message>
        <source>best</source>
        <translation>melhor</translation>
    </message>
</context>
<context>
    <name>RunChooser</name>
    <message>
        <source>Another run…</source>
        <translation>Outro treino…</translation>
    </message>
    <message>
        <source>Its dataset was deleted. Restore it from the trash to use this run.</source>
        <translation>O conjunto de dados dele foi excluído. Restaure-o da lixeira para usar este treino.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>Nenhum modelo ainda</translation>
    </message>
    <message>
        <source>No run has a model yet.</source>
        <translation>Nenhum treino tem um modelo ainda.</translation>
    </message>
    <message>
        <source>Search runs by name.</source>
        <translation>Buscar treinos pelo nome.</translation>
    </message>
    <message>
        <source>{name}, trained on {dataset}</source>
        <translation>{name}, treinado com {dataset}</translation>
    </message>
    <message>
        <source>{name}, trained on {dataset}, best {metric} {value}</source>
        <translation>{name}, treinado com {dataset}, melhor {metric} {value}</translation>
    </message>
</context>
<context>
    <name>RunDetails</name>
    <message>
        <source>All settings of the run.</source>
        <translation>Todas as configurações do treino.</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>Aumento de dados</translation>
    </message>
    <message>
        <source>Changed since</source>
        <translation>Mudado desde então</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Details of the run</source>
        <translation>Detalhes do treino</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Épocas</translation>
    </message>
    <message>
        <source>Events and messages of the run.</source>
        <translation>Eventos e mensagens do treino.</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>Metrics of each epoch; a star marks the best one.</source>
        <translation>Métricas de cada época; uma estrela marca a melhor.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plano</translation>
    </message>
    <message>
        <source>Shows another part of the run.</source>
        <translation>Mostra outra parte do treino.</translation>
    </message>
    <message>
        <source>Studio {version} on {host}, process {process}</source>
        <translation>Studio {version} em {host}, processo {process}</translation>
    </message>
    <message>
        <source>{backend} on {device}: {train} training and {val} validation images, {parameters} parameters, {trained} of them trained</source>
        <translation>{backend} em {device}: {train} imagens de treino e {val} de validação, {parameters} parâmetros, {trained} deles treinados</translation>
    </message>
</context>
<context>
    <name>RunGroup</name>
    <message>
        <source>A free GPU, else the CPU</source>
        <translation>Uma GPU livre, senão a CPU</translation>
    </message>
    <message>
        <source>All values are the defaults.</source>
        <translation>Todos os valores são os padrões.</translation>
    </message>
    <message>
        <source>Default values</source>
        <translation>Valores padrão</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Device that new runs train on by default.</source>
        <translation>Dispositivo padrão dos novos treinos.</translation>
    </message>
    <message>
        <source>New runs</source>
        <translation>Novos treinos</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>Restaurar padrões</translation>
    </message>
    <message>
        <source>The form of a new run starts with the values below.</source>
        <translation>O formulário de um novo treino começa com os valores abaixo.</translation>
    </message>
    <message>
        <source>epochs batch size learning rate optimizer precision seed</source>
        <translation>épocas tamanho lote taxa aprendizado otimizador precisão semente</translation>
    </message>
</context>
<context>
    <name>RunLinks</name>
    <message>
        <source>Show the run {name}</source>
        <translation>Mostrar o treino {name}</translation>
    </message>
    <message>
        <source>Show this run</source>
        <translation>Mostrar este treino</translation>
    </message>
    <message>
        <source>and {n} more on the page Train</source>
        <translation>e mais {n} na página Treinar</translation>
    </message>
</context>
<context>
    <name>RunSearch</name>
    <message>
        <source>Another run</source>
        <translation>Outro treino</translation>
    </message>
    <message>
        <source>Name of the run, or of its images</source>
        <translation>Nome do treino, ou de suas imagens</translation>
    </message>
    <message>
        <source>Newest matches.</source>
        <translation>Resultados mais recentes.</translation>
    </message>
    <message>
        <source>No run has this name.</source>
        <translation>Nenhum treino tem esse nome.</translation>
    </message>
    <message>
        <source>Runs with a model</source>
        <translation>Treinos com modelo</translation>
    </message>
    <message>
        <source>Search the runs</source>
        <translation>Procurar treinos</translation>
    </message>
    <message>
        <source>Type parts of the name in any order.</source>
        <translation>Digite partes do nome em qualquer ordem.</translation>
    </message>
    <message>
        <source>Use this run</source>
        <translation>Usar este treino</translation>
    </message>
    <message>
        <source>Uses the selected run.</source>
        <translation>Usa o treino selecionado.</translation>
    </message>
    <message>
        <source>{n} more: type part of the name.</source>
        <translation>Mais {n}: digite parte do nome.</translation>
    </message>
</context>
<context>
    <name>RunsActions</name>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Grupo</translation>
    </message>
    <message>
        <source>Move all failed runs to the trash</source>
        <translation>Mover todos os treinos que falharam para a lixeira</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>Mover para a lixeira</translation>
    </message>
    <message>
        <source>New run with this plan</source>
        <translation>Novo treino com este plano</translation>
    </message>
    <message>
        <source>New tag</source>
        <translation>Nova etiqueta</translation>
    </message>
    <message>
        <source>None of these runs is training.</source>
        <translation>Nenhum destes treinos está em andamento.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renomear</translation>
    </message>
    <message>
        <source>Running runs are kept: {count}.</source>
        <translation>Treinos em andamento são mantidos: {count}.</translation>
    </message>
    <message>
        <source>Select at least two runs.</source>
        <translation>Selecione pelo menos dois treinos.</translation>
    </message>
    <message>
        <source>Select one run.</source>
        <translation>Selecione um treino.</translation>
    </message>
    <message>
        <source>Select runs first.</source>
        <translation>Selecione treinos primeiro.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Stop the runs first.</source>
        <translation>Pare os treinos primeiro.</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Etiquetas</translation>
    </message>
    <message>
        <source>There are no failed runs.</source>
        <translation>Não há treinos com falha.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>{count} runs were moved to the trash.</source>
        <translation>{count} treinos foram movidos para a lixeira.</translation>
    </message>
    <message>
        <source>“{name}” was moved to the trash.</source>
        <translation>“{name}” foi movido para a lixeira.</translation>
    </message>
</context>
<context>
    <name>RunsTable</name>
    <message>
        <source>Columns</source>
        <translation>Colunas</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Grupo</translation>
    </message>
    <message>
        <source>No group</source>
        <translation>Sem grupo</translation>
    </message>
    <message>
        <source>Rows by group</source>
        <translation>Linhas por grupo</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Treinos</translation>
    </message>
    <message>
        <source>Search names, networks, tags, notes …</source>
        <translation>Procurar nomes, redes, etiquetas, notas …</translation>
    </message>
    <message>
        <source>Search the runs</source>
        <translation>Procurar treinos</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Etiqueta</translation>
    </message>
    <message>
        <source>{selected} of {shown} selected</source>
        <translation>{selected} de {shown} selecionados</translation>
    </message>
    <message>
        <source>{shown} of {total} runs</source>
        <translation>{shown} de {total} treinos</translation>
    </message>
    <message>
        <source>{total} runs</source>
        <translation>{total} treinos</translation>
    </message>
</context>
<context>
    <name>RunsView</name>
    <message>
        <source>All runs</source>
        <translation>Todos os treinos</translation>
    </message>
</context>
<context>
    <name>SampleCard</name>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Downloads {size} the first time</source>
        <translation>Baixa {size} na primeira vez</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>Obter</translation>
    </message>
    <message>
        <source>Getting ready…</source>
        <translation>Preparando…</translation>
    </message>
    <message>
        <source>Imports the sample, or shows it if it is imported.</source>
        <translation>Importa o exemplo, ou o mostra se já foi importado.</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>Criar</translation>
    </message>
    <message>
        <source>No network needed</source>
        <translation>Não precisa de rede</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Mostrar</translation>
    </message>
    <message>
        <source>The part downloaded so far is kept for the next time</source>
        <translation>A parte já baixada é mantida para a próxima vez</translation>
    </message>
    <message>
        <source>{word}: {sample}</source>
        <translation>{word}: {sample}</translation>
    </message>
</context>
<context>
    <name>SampleSheet</name>
    <message>
        <source>Downloaded or generated once, then imported like your own images.</source>
        <translation>Baixado ou gerado uma vez, depois importado como suas próprias imagens.</translation>
    </message>
    <message>
        <source>Goes back without downloading.</source>
        <translation>Volta sem baixar.</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Agora não</translation>
    </message>
    <message>
        <source>One sample at a time: another is in progress</source>
        <translation>Um exemplo por vez: outro está em andamento</translation>
    </message>
    <message>
        <source>Sample datasets</source>
        <translation>Conjuntos de dados de exemplo</translation>
    </message>
    <message>
        <source>Writing the handwritten digits…</source>
        <translation>Gravando os dígitos manuscritos…</translation>
    </message>
</context>
<context>
    <name>Samples</name>
    <message>
        <source>Samples</source>
        <translation>Amostras</translation>
    </message>
    <message>
        <source>The dataset has no validation images.</source>
        <translation>O conjunto de dados não tem imagens de validação.</translation>
    </message>
</context>
<context>
    <name>ScatterChart</name>
    <message>
        <source>{number} points, mean absolute error {error}</source>
        <translation>{number} pontos, erro absoluto médio {error}</translation>
    </message>
</context>
<context>
    <name>ScheduleCard</name>
    <message>
        <source>Constant {rate}</source>
        <translation>Constante {rate}</translation>
    </message>
    <message>
        <source>Learning rate by step</source>
        <translation>Taxa de aprendizado por passo</translation>
    </message>
    <message>
        <source>Learning-rate schedule</source>
        <translation>Agendamento da taxa de aprendizado</translation>
    </message>
    <message>
        <source>Start {first}, maximum {highest}, end {last}</source>
        <translation>Início {first}, máximo {highest}, fim {last}</translation>
    </message>
</context>
<context>
    <name>ScoreBars</name>
    <message>
        <source>Prediction of the model</source>
        <translation>Previsão do modelo</translation>
    </message>
</context>
<context>
    <name>ScreenPicker</name>
    <message>
        <source>Draw a rectangle around the picture</source>
        <translation>Desenhe um retângulo em volta da imagem</translation>
    </message>
</context>
<context>
    <name>SearchCard</name>
    <message>
        <source>More objectives</source>
        <translation>Mais objetivos</translation>
    </message>
    <message>
        <source>Objectives</source>
        <translation>Objetivos</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Busca</translation>
    </message>
</context>
<context>
    <name>SearchList</name>
    <message>
        <source>Type to filter, choose with the arrow keys, press Enter.</source>
        <translation>Digite para filtrar, escolha com as setas e pressione Enter.</translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message>
        <source>A folder with one folder per class, or an archive of it (zip, tar); a list (txt, csv); arrays (npz, h5); MNIST or CIFAR files; Parquet. Labels or numbers of images come in a table (csv, tsv, Parquet) or in arrays; masks in a folder next to the images.</source>
        <translation>Uma pasta com uma pasta por classe, ou um arquivo compactado dela (zip, tar); uma lista (txt, csv); matrizes (npz, h5); arquivos MNIST ou CIFAR; Parquet. Rótulos ou números das imagens vêm em uma tabela (csv, tsv, Parquet) ou em matrizes; máscaras, em uma pasta ao lado das imagens.</translation>
    </message>
    <message>
        <source>An archive, a list of images, or an array file.</source>
        <translation>Um arquivo compactado, uma lista de imagens ou um arquivo de arrays.</translation>
    </message>
    <message>
        <source>Another dataset…</source>
        <translation>Outro conjunto de dados…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Escolher um arquivo…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Escolher uma pasta…</translation>
    </message>
    <message>
        <source>Choose the base folder of the paths…</source>
        <translation>Escolher a pasta base dos caminhos…</translation>
    </message>
    <message>
        <source>Choose their masks…</source>
        <translation>Escolher as máscaras…</translation>
    </message>
    <message>
        <source>Drop images here</source>
        <translation>Solte imagens aqui</translation>
    </message>
    <message>
        <source>Drop more images here</source>
        <translation>Solte mais imagens aqui</translation>
    </message>
    <message>
        <source>For images whose masks are in another folder.</source>
        <translation>Para imagens cujas máscaras estão em outra pasta.</translation>
    </message>
    <message>
        <source>Imports images from another dataset of this workspace.</source>
        <translation>Importa imagens de outro conjunto de dados deste espaço de trabalho.</translation>
    </message>
    <message>
        <source>Looking for images…</source>
        <translation>Procurando imagens…</translation>
    </message>
    <message>
        <source>Sample datasets…</source>
        <translation>Conjuntos de exemplo…</translation>
    </message>
    <message>
        <source>Searching {name}</source>
        <translation>Procurando em {name}</translation>
    </message>
    <message>
        <source>Stops the search. Nothing was changed.</source>
        <translation>Interrompe a busca. Nada foi alterado.</translation>
    </message>
    <message>
        <source>The folder that the paths of a list are relative to.</source>
        <translation>A pasta à qual os caminhos de uma lista são relativos.</translation>
    </message>
    <message>
        <source>Well-known datasets to try things out.</source>
        <translation>Conjuntos de dados conhecidos para experimentar.</translation>
    </message>
    <message>
        <source>{n} images so far</source>
        <translation>{n} imagens até agora</translation>
    </message>
</context>
<context>
    <name>SeveralPanel</name>
    <message>
        <source>Connect in sequence</source>
        <translation>Conectar em sequência</translation>
    </message>
    <message>
        <source>Connects the layers in the order in which they were selected</source>
        <translation>Conecta as camadas na ordem em que foram selecionadas</translation>
    </message>
    <message>
        <source>Multiply-adds</source>
        <translation>Mult. e somas</translation>
    </message>
    <message>
        <source>Output memory</source>
        <translation>Memória da saída</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>{0} layers</source>
        <translation>{0} camadas</translation>
    </message>
</context>
<context>
    <name>SimilarImages</name>
    <message>
        <source>Searched {done} of {total} training images…</source>
        <translation>{done} de {total} imagens de treino pesquisadas…</translation>
    </message>
    <message>
        <source>Searching the training images…</source>
        <translation>Procurando nas imagens de treino…</translation>
    </message>
    <message>
        <source>Show the most similar training images</source>
        <translation>Mostrar as imagens de treino mais parecidas</translation>
    </message>
    <message>
        <source>Similar images</source>
        <translation>Imagens semelhantes</translation>
    </message>
    <message>
        <source>The nearest of {total} training images</source>
        <translation>As mais próximas de {total} imagens de treino</translation>
    </message>
</context>
<context>
    <name>SkippedSection</name>
    <message>
        <source>Copies paths and reasons, one per line.</source>
        <translation>Copia caminhos e motivos, um por linha.</translation>
    </message>
    <message>
        <source>Copy list</source>
        <translation>Copiar lista</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Arquivo</translation>
    </message>
    <message>
        <source>Files left out</source>
        <translation>Arquivos deixados de fora</translation>
    </message>
    <message>
        <source>Files that cannot be used, each with the reason.</source>
        <translation>Arquivos que não podem ser usados, cada um com o motivo.</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Por quê</translation>
    </message>
    <message>
        <source>{what}. Hide the list</source>
        <translation>{what}. Ocultar a lista</translation>
    </message>
    <message>
        <source>{what}. Show the list</source>
        <translation>{what}. Mostrar a lista</translation>
    </message>
</context>
<context>
    <name>SliceView</name>
    <message>
        <source>Field</source>
        <translation>Campo</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Objetivo</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Fatia</translation>
    </message>
    <message>
        <source>Slice: an objective against a field</source>
        <translation>Fatia: um objetivo em função de um campo</translation>
    </message>
</context>
<context>
    <name>SpaceEditor</name>
    <message>
        <source>Add a field</source>
        <translation>Adicionar um campo</translation>
    </message>
    <message>
        <source>Add a field to vary.</source>
        <translation>Adicione um campo para variar.</translation>
    </message>
    <message>
        <source>Varies another setting. A grid tries all combinations.</source>
        <translation>Varia outra configuração. Uma grade testa todas as combinações.</translation>
    </message>
</context>
<context>
    <name>SpaceRow</name>
    <message>
        <source>A logarithmic range has no step.</source>
        <translation>Um intervalo logarítmico não tem passo.</translation>
    </message>
    <message>
        <source>Can't be changed after the sweep has started.</source>
        <translation>Não pode ser alterado depois que a varredura começou.</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Nº</translation>
    </message>
    <message>
        <source>Current values: {values}</source>
        <translation>Valores atuais: {values}</translation>
    </message>
    <message>
        <source>For example {values}</source>
        <translation>Por exemplo {values}</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>Number of values</source>
        <translation>Número de valores</translation>
    </message>
    <message>
        <source>On a log scale, 0.001 to 0.01 gets as many values as 0.01 to 0.1.</source>
        <translation>Na escala log, de 0,001 a 0,01 há tantos valores quanto de 0,01 a 0,1.</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Intervalo</translation>
    </message>
    <message>
        <source>Ranges are only for numbers.</source>
        <translation>Intervalos são só para números.</translation>
    </message>
    <message>
        <source>Remove the field</source>
        <translation>Remover o campo</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Escala</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Passo</translation>
    </message>
    <message>
        <source>The sweep already varies this field.</source>
        <translation>A varredura já varia este campo.</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Até</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Valores</translation>
    </message>
    <message>
        <source>Values or a range</source>
        <translation>Valores ou um intervalo</translation>
    </message>
</context>
<context>
    <name>Sparkline</name>
    <message>
        <source>Curve</source>
        <translation>Curva</translation>
    </message>
    <message>
        <source>from {first} to {last}</source>
        <translation>de {first} a {last}</translation>
    </message>
</context>
<context>
    <name>SpeedLine</name>
    <message>
        <source>Measure here…</source>
        <translation>Medir aqui…</translation>
    </message>
    <message>
        <source>Measured with another image size; results may differ.</source>
        <translation>Medido com outro tamanho de imagem; os resultados podem diferir.</translation>
    </message>
    <message>
        <source>On this machine {network} trains fastest with batches of {batch}, {precision} and {backend} on {device} (measured {date}, “{study}”)</source>
        <translation>Nesta máquina, {network} treina mais depressa com lotes de {batch}, {precision} e {backend} em {device} (medido em {date}, “{study}”)</translation>
    </message>
    <message>
        <source>Opens a new benchmark of this network. The best settings then appear here.</source>
        <translation>Abre um novo benchmark desta rede. As melhores configurações aparecem depois aqui.</translation>
    </message>
    <message>
        <source>Use these</source>
        <translation>Usar estes</translation>
    </message>
    <message>
        <source>Uses the fastest settings on this machine.</source>
        <translation>Usa as configurações mais rápidas nesta máquina.</translation>
    </message>
    <message>
        <source>{words}: {gain} times as fast as your settings.</source>
        <translation>{words}: {gain} vezes mais rápido que as suas configurações.</translation>
    </message>
    <message>
        <source>{words}; your settings were not measured.</source>
        <translation>{words}; as suas configurações não foram medidas.</translation>
    </message>
</context>
<context>
    <name>SplitBar</name>
    <message>
        <source>Splits</source>
        <translation>Divisões</translation>
    </message>
</context>
<context>
    <name>SplitLegend</name>
    <message>
        <source>Reassigns images to training, validation and test.</source>
        <translation>Redistribui as imagens entre treino, validação e teste.</translation>
    </message>
    <message>
        <source>Split again…</source>
        <translation>Dividir de novo…</translation>
    </message>
</context>
<context>
    <name>SplitSection</name>
    <message>
        <source>Balance of the splits</source>
        <translation>Equilíbrio das divisões</translation>
    </message>
    <message>
        <source>Fix the settings first, or wait for the last change.</source>
        <translation>Corrija as configurações ou aguarde a última mudança.</translation>
    </message>
    <message>
        <source>How classes or targets are distributed over the new splits.</source>
        <translation>Como as classes ou os alvos se distribuem nas novas divisões.</translation>
    </message>
    <message>
        <source>Images you moved by hand are reassigned too. Runs keep the split that they were trained on, and Undo restores this one.</source>
        <translation>As imagens que você moveu à mão também são redistribuídas. Os treinos mantêm a divisão em que foram treinados, e Desfazer restaura esta.</translation>
    </message>
    <message>
        <source>Leaves the split unchanged.</source>
        <translation>Não altera a divisão.</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Agora não</translation>
    </message>
    <message>
        <source>Reassigns images to training, validation and test.</source>
        <translation>Redistribui as imagens entre treino, validação e teste.</translation>
    </message>
    <message>
        <source>Split again</source>
        <translation>Dividir de novo</translation>
    </message>
</context>
<context>
    <name>StartPanel</name>
    <message>
        <source>An address…</source>
        <translation>Um endereço…</translation>
    </message>
    <message>
        <source>An archive, a list of images, or an array file.</source>
        <translation>Um arquivo compactado, uma lista de imagens ou um arquivo de arrays.</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Escolher um arquivo…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Escolher uma pasta…</translation>
    </message>
    <message>
        <source>Drop a folder of images here</source>
        <translation>Solte uma pasta de imagens aqui</translation>
    </message>
    <message>
        <source>Imports 1,797 small images of digits in a few seconds.</source>
        <translation>Importa 1.797 imagens pequenas de dígitos em alguns segundos.</translation>
    </message>
    <message>
        <source>More samples…</source>
        <translation>Mais exemplos…</translation>
    </message>
    <message>
        <source>No images yet</source>
        <translation>Nenhuma imagem ainda</translation>
    </message>
    <message>
        <source>No images? Studio includes 1,797 handwritten digits.</source>
        <translation>Sem imagens? O Studio inclui 1.797 dígitos manuscritos.</translation>
    </message>
    <message>
        <source>Reads images from the web or from cloud storage.</source>
        <translation>Lê imagens da web ou de armazenamento na nuvem.</translation>
    </message>
    <message>
        <source>Try the handwritten digits</source>
        <translation>Testar os dígitos manuscritos</translation>
    </message>
    <message>
        <source>Well-known datasets to try things out.</source>
        <translation>Conjuntos de dados conhecidos para experimentar.</translation>
    </message>
    <message>
        <source>With one folder per class. An archive, a list or an array file also works. For labels or numbers, use a table such as CSV.</source>
        <translation>Com uma pasta por classe. Um arquivo compactado, uma lista ou um arquivo de matrizes também serve. Para rótulos ou números, use uma tabela como CSV.</translation>
    </message>
</context>
<context>
    <name>StateBadge</name>
    <message>
        <source>State: {state}</source>
        <translation>Estado: {state}</translation>
    </message>
</context>
<context>
    <name>Steering</name>
    <message>
        <source>A learning rate is a number; received “{text}”.</source>
        <translation>Uma taxa de aprendizado é um número; recebido “{text}”.</translation>
    </message>
    <message>
        <source>Applies from the next step; the schedule continues from this rate.</source>
        <translation>Vale a partir do próximo passo; o agendamento continua a partir desta taxa.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Mudança</translation>
    </message>
    <message>
        <source>Change the learning rate …</source>
        <translation>Mudar a taxa de aprendizado …</translation>
    </message>
    <message>
        <source>Change the run</source>
        <translation>Alterar o treino</translation>
    </message>
    <message>
        <source>Epochs are a whole number; received “{text}”.</source>
        <translation>As épocas são um número inteiro; recebido “{text}”.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Taxa de aprendizado</translation>
    </message>
    <message>
        <source>More epochs</source>
        <translation>Mais épocas</translation>
    </message>
    <message>
        <source>Only for a finished or paused run with a checkpoint.</source>
        <translation>Apenas para um treino concluído ou pausado com checkpoint.</translation>
    </message>
    <message>
        <source>Only while the run is training.</source>
        <translation>Apenas enquanto o treino está em andamento.</translation>
    </message>
    <message>
        <source>Save a checkpoint now</source>
        <translation>Salvar um checkpoint agora</translation>
    </message>
    <message>
        <source>Sweep over other settings …</source>
        <translation>Varredura de outras configurações …</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Treinar</translation>
    </message>
    <message>
        <source>Train for more epochs …</source>
        <translation>Treinar por mais épocas …</translation>
    </message>
    <message>
        <source>Training resumes from its checkpoint; the schedule spans all epochs.</source>
        <translation>O treino é retomado do checkpoint; o agendamento abrange todas as épocas.</translation>
    </message>
</context>
<context>
    <name>Strip</name>
    <message>
        <source>No problems found.</source>
        <translation>Nenhum problema encontrado.</translation>
    </message>
    <message>
        <source>Shapes are being computed</source>
        <translation>Os formatos estão sendo calculados</translation>
    </message>
    <message>
        <source>{0} multiply-adds per image</source>
        <translation>{0} multiplicações e somas por imagem</translation>
    </message>
    <message>
        <source>{0} of activations per image</source>
        <translation>{0} de ativações por imagem</translation>
    </message>
    <message>
        <source>{0} parameters</source>
        <translation>{0} parâmetros</translation>
    </message>
    <message>
        <source>{0} parameters so far</source>
        <translation>{0} parâmetros até agora</translation>
    </message>
    <message>
        <source>{0} trainable</source>
        <translation>{0} treináveis</translation>
    </message>
</context>
<context>
    <name>StripRow</name>
    <message>
        <source>Show this layer</source>
        <translation>Mostrar esta camada</translation>
    </message>
    <message>
        <source>Show {0}</source>
        <translation>Mostrar {0}</translation>
    </message>
</context>
<context>
    <name>StudyPanel</name>
    <message>
        <source>Adds results from another machine (CSV) to the chart of time per image.</source>
        <translation>Adiciona resultados de outra máquina (CSV) ao gráfico de tempo por imagem.</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Tamanho do lote</translation>
    </message>
    <message>
        <source>Cells</source>
        <translation>Células</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Comparar…</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Perda</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Milissegundos</translation>
    </message>
    <message>
        <source>One row for each combination of network, device, precision and batch size.</source>
        <translation>Uma linha para cada combinação de rede, dispositivo, precisão e tamanho do lote.</translation>
    </message>
    <message>
        <source>Results from another machine</source>
        <translation>Resultados de outra máquina</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Aceleração</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tabelas (*.csv)</translation>
    </message>
    <message>
        <source>Time per image</source>
        <translation>Tempo por imagem</translation>
    </message>
</context>
<context>
    <name>SweepActions</name>
    <message>
        <source>Add values, trials or hours</source>
        <translation>Adicionar valores, tentativas ou horas</translation>
    </message>
    <message>
        <source>Continues with the remaining trials.</source>
        <translation>Continua com as tentativas restantes.</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>Mover para a lixeira</translation>
    </message>
    <message>
        <source>Only while the sweep runs or after it has ended.</source>
        <translation>Somente durante a varredura ou depois que ela terminar.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Retomar</translation>
    </message>
    <message>
        <source>Saving its runs…</source>
        <translation>Salvando os treinos…</translation>
    </message>
    <message>
        <source>Starts no more trials until you resume.</source>
        <translation>Não inicia novas tentativas até você retomar.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>Pare-a primeiro.</translation>
    </message>
    <message>
        <source>Stopping its runs…</source>
        <translation>Parando os treinos…</translation>
    </message>
    <message>
        <source>Stops the sweep and its runs. Results are kept.</source>
        <translation>Para a varredura e seus treinos. Os resultados são mantidos.</translation>
    </message>
    <message>
        <source>The sweep is already stopping.</source>
        <translation>A varredura já está parando.</translation>
    </message>
</context>
<context>
    <name>SweepCharts</name>
    <message>
        <source>Appears when the first trial is finished.</source>
        <translation>Aparece quando a primeira tentativa terminar.</translation>
    </message>
    <message>
        <source>Best so far</source>
        <translation>Melhor até agora</translation>
    </message>
    <message>
        <source>Charts of the sweep</source>
        <translation>Gráficos da varredura</translation>
    </message>
    <message>
        <source>Contours</source>
        <translation>Contornos</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Mapa de calor</translation>
    </message>
    <message>
        <source>Importance</source>
        <translation>Importância</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>Paralelo</translation>
    </message>
    <message>
        <source>Pareto</source>
        <translation>Pareto</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Fatia</translation>
    </message>
</context>
<context>
    <name>SweepPanel</name>
    <message>
        <source>One row for each trial, the best in bold. Select a row to see its actions.</source>
        <translation>Uma linha para cada tentativa, a melhor em negrito. Selecione uma linha para ver as ações.</translation>
    </message>
</context>
<context>
    <name>SweepTrials</name>
    <message>
        <source>Trial</source>
        <translation>Tentativa</translation>
    </message>
</context>
<context>
    <name>SweepView</name>
    <message>
        <source>Appears when the first trial is finished.</source>
        <translation>Aparece quando a primeira tentativa terminar.</translation>
    </message>
    <message>
        <source>Trial {number}</source>
        <translation>Tentativa {number}</translation>
    </message>
</context>
<context>
    <name>Table</name>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Copy table as CSV</source>
        <translation>Copiar a tabela como CSV</translation>
    </message>
</context>
<context>
    <name>TableModel</name>
    <message>
        <source>No group</source>
        <translation>Sem grupo</translation>
    </message>
</context>
<context>
    <name>TargetBar</name>
    <message>
        <source>Add images to “{name}”</source>
        <translation>Adicionar imagens a “{name}”</translation>
    </message>
    <message>
        <source>Add to “{name}”</source>
        <translation>Adicionar a “{name}”</translation>
    </message>
    <message>
        <source>Adds these images to that dataset.</source>
        <translation>Adiciona estas imagens a esse conjunto de dados.</translation>
    </message>
    <message>
        <source>Creates a dataset of only these images.</source>
        <translation>Cria um conjunto de dados só com estas imagens.</translation>
    </message>
    <message>
        <source>Destination of the images</source>
        <translation>Destino das imagens</translation>
    </message>
    <message>
        <source>Import images</source>
        <translation>Importar imagens</translation>
    </message>
    <message>
        <source>Make a new dataset</source>
        <translation>Criar um novo conjunto de dados</translation>
    </message>
</context>
<context>
    <name>TargetPanel</name>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Image of this point</source>
        <translation>Imagem deste ponto</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Metrics of each label or quantity. Choose one to see its images.</source>
        <translation>Métricas de cada rótulo ou grandeza. Escolha uma para ver suas imagens.</translation>
    </message>
    <message>
        <source>Prediction interval</source>
        <translation>Intervalo de previsão</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Limiar</translation>
    </message>
</context>
<context>
    <name>Targets</name>
    <message>
        <source>Predictions</source>
        <translation>Previsões</translation>
    </message>
    <message>
        <source>The dataset has no validation images.</source>
        <translation>O conjunto de dados não tem imagens de validação.</translation>
    </message>
</context>
<context>
    <name>TaskSection</name>
    <message>
        <source>Columns with the targets</source>
        <translation>Colunas com os alvos</translation>
    </message>
    <message>
        <source>Needs a file with the targets of each image: a table (CSV, TSV, Parquet) or arrays (HDF5, NPZ). Choose it instead of a folder.</source>
        <translation>Precisa de um arquivo com os alvos de cada imagem: uma tabela (CSV, TSV, Parquet) ou arrays (HDF5, NPZ). Escolha-o em vez de uma pasta.</translation>
    </message>
    <message>
        <source>Needs a folder of images with masks, not a table.</source>
        <translation>Precisa de uma pasta de imagens com máscaras, não de uma tabela.</translation>
    </message>
    <message>
        <source>The table has no suitable column.</source>
        <translation>A tabela não tem uma coluna adequada.</translation>
    </message>
    <message>
        <source>Ticked columns of the table become targets.</source>
        <translation>As colunas marcadas da tabela tornam-se alvos.</translation>
    </message>
    <message>
        <source>What should a network learn?</source>
        <translation>O que a rede deve aprender?</translation>
    </message>
</context>
<context>
    <name>ThinBar</name>
    <message>
        <source>Progress</source>
        <translation>Progresso</translation>
    </message>
</context>
<context>
    <name>Tiles</name>
    <message>
        <source>95 % bootstrap interval from {count} resamples of the images.</source>
        <translation>Intervalo bootstrap de 95 % de {count} reamostras das imagens.</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Predictions over the video</source>
        <translation>Previsões ao longo do vídeo</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
</context>
<context>
    <name>Toolbar</name>
    <message>
        <source>Arrange</source>
        <translation>Organizar</translation>
    </message>
    <message>
        <source>Back to all networks</source>
        <translation>Voltar a todas as redes</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Arquivo</translation>
    </message>
    <message>
        <source>Start a run with this network</source>
        <translation>Iniciar um treino com esta rede</translation>
    </message>
    <message>
        <source>Train this</source>
        <translation>Treinar esta</translation>
    </message>
    <message>
        <source>{0}, not saved</source>
        <translation>{0}, não salva</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Help for this page</source>
        <translation>Ajuda desta página</translation>
    </message>
    <message>
        <source>Search or run a command…</source>
        <translation>Procurar ou executar um comando…</translation>
    </message>
    <message>
        <source>Theme: as the system. Click for light.</source>
        <translation>Tema: como o sistema. Clique para claro.</translation>
    </message>
    <message>
        <source>Theme: dark. Click to follow the system.</source>
        <translation>Tema: escuro. Clique para seguir o sistema.</translation>
    </message>
    <message>
        <source>Theme: light. Click for dark.</source>
        <translation>Tema: claro. Clique para escuro.</translation>
    </message>
    <message>
        <source>Workspace {name}</source>
        <translation>Espaço de trabalho {name}</translation>
    </message>
    <message>
        <source>{n} records loaded…</source>
        <translation>{n} registros carregados…</translation>
    </message>
    <message>
        <source>{path}
Click to open another workspace</source>
        <translation>{path}
Clique para abrir outro espaço de trabalho</translation>
    </message>
</context>
<context>
    <name>Tour</name>
    <message>
        <source>The images were deleted.</source>
        <translation>As imagens foram excluídas.</translation>
    </message>
    <message>
        <source>{name} was deleted.</source>
        <translation>{name} foi excluído.</translation>
    </message>
</context>
<context>
    <name>TourBar</name>
    <message>
        <source>Back to the tour</source>
        <translation>Voltar ao tour</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>Continues with the next step of the tour.</source>
        <translation>Continua com a próxima etapa do tour.</translation>
    </message>
    <message>
        <source>Continues without waiting.</source>
        <translation>Continua sem esperar.</translation>
    </message>
    <message>
        <source>Ends the tour and imports your images.</source>
        <translation>Termina o tour e importa as suas imagens.</translation>
    </message>
    <message>
        <source>Ends the tour. Its dataset and run are kept.</source>
        <translation>Encerra o tour. O conjunto de dados e o treino ficam.</translation>
    </message>
    <message>
        <source>Guided tour</source>
        <translation>Tour guiado</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Avançar</translation>
    </message>
    <message>
        <source>Opens the page of the current step.</source>
        <translation>Abre a página do passo atual.</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Pular</translation>
    </message>
    <message>
        <source>Stop the tour</source>
        <translation>Parar o tour</translation>
    </message>
    <message>
        <source>Use my own images</source>
        <translation>Usar as minhas imagens</translation>
    </message>
</context>
<context>
    <name>TrainFirst</name>
    <message>
        <source>Import images</source>
        <translation>Importar imagens</translation>
    </message>
    <message>
        <source>Train a network</source>
        <translation>Treinar uma rede</translation>
    </message>
    <message>
        <source>Train a network first</source>
        <translation>Treine uma rede primeiro</translation>
    </message>
    <message>
        <source>Try the handwritten digits</source>
        <translation>Testar os dígitos manuscritos</translation>
    </message>
</context>
<context>
    <name>TrainingFields</name>
    <message>
        <source>Block</source>
        <translation>Bloco</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>Congelada</translation>
    </message>
    <message>
        <source>Layers of a block share a frame and collapse together.</source>
        <translation>As camadas de um bloco têm a mesma moldura e são recolhidas juntas.</translation>
    </message>
    <message>
        <source>Learning-rate multiplier: with 0.1 these layers learn ten times slower.</source>
        <translation>Multiplicador da taxa de aprendizado: com 0,1, estas camadas aprendem dez vezes mais devagar.</translation>
    </message>
    <message>
        <source>Rate multiplier</source>
        <translation>Multiplicador da taxa</translation>
    </message>
    <message>
        <source>Training does not change the weights. Batch normalization keeps its statistics.</source>
        <translation>O treino não altera os pesos. A normalização em lote mantém suas estatísticas.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>nenhum</translation>
    </message>
    <message>
        <source>various</source>
        <translation>vários</translation>
    </message>
</context>
<context>
    <name>TrainingForm</name>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Noise, in the input size of each network</source>
        <translation>Ruído, no tamanho de entrada de cada rede</translation>
    </message>
    <message>
        <source>Trains each combination for a short time in a separate process.</source>
        <translation>Treina cada combinação por um curto tempo em um processo separado.</translation>
    </message>
    <message>
        <source>{count} cells</source>
        <translation>{count} células</translation>
    </message>
</context>
<context>
    <name>Trash</name>
    <message>
        <source>1 failed job was moved to the trash.</source>
        <translation>1 trabalho com falha foi movido para a lixeira.</translation>
    </message>
    <message>
        <source>There are no failed jobs to remove.</source>
        <translation>Não há trabalhos com falha para remover.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>{count} failed jobs were moved to the trash.</source>
        <translation>{count} trabalhos com falha foram movidos para a lixeira.</translation>
    </message>
    <message>
        <source>“{name}” was moved to the trash.</source>
        <translation>“{name}” foi movido para a lixeira.</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n running</source>
        <translation><numerusform>%n em execução</numerusform><numerusform>%n em execução</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation><numerusform>%n em espera</numerusform><numerusform>%n em espera</numerusform></translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Trabalhos</translation>
    </message>
    <message>
        <source>Pause the queue</source>
        <translation>Pausar a fila</translation>
    </message>
    <message>
        <source>Queue paused</source>
        <translation>Fila pausada</translation>
    </message>
    <message>
        <source>Resume the queue</source>
        <translation>Retomar a fila</translation>
    </message>
    <message>
        <source>Show all jobs</source>
        <translation>Mostrar todos os trabalhos</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>Mostrar menos</translation>
    </message>
    <message>
        <source>Shows all running and waiting jobs, or only one.</source>
        <translation>Mostra todos os trabalhos em execução e em espera, ou só um.</translation>
    </message>
    <message>
        <source>While the queue is paused, running jobs continue and no others start.</source>
        <translation>Enquanto a fila está pausada, os trabalhos em execução continuam e nenhum outro começa.</translation>
    </message>
</context>
<context>
    <name>TrialActions</name>
    <message>
        <source>Best trial {number}</source>
        <translation>Melhor tentativa {number}</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Exports the model of the trial as files.</source>
        <translation>Exporta o modelo da tentativa como arquivos.</translation>
    </message>
    <message>
        <source>Only trials that failed or ended early can be rerun.</source>
        <translation>Só é possível executar de novo tentativas que falharam ou terminaram antes do fim.</translation>
    </message>
    <message>
        <source>Open run</source>
        <translation>Abrir treino</translation>
    </message>
    <message>
        <source>Opens a new run with the settings of the trial and twice the epochs.</source>
        <translation>Abre um novo treino com as configurações da tentativa e o dobro das épocas.</translation>
    </message>
    <message>
        <source>Opens the run of the trial with its curves.</source>
        <translation>Abre o treino da tentativa com suas curvas.</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>Solicitado</translation>
    </message>
    <message>
        <source>Rerun</source>
        <translation>Repetir</translation>
    </message>
    <message>
        <source>Select a trial first.</source>
        <translation>Selecione uma tentativa primeiro.</translation>
    </message>
    <message>
        <source>Select a trial.</source>
        <translation>Selecione uma tentativa.</translation>
    </message>
    <message>
        <source>The first epoch has not finished yet.</source>
        <translation>A primeira época ainda não terminou.</translation>
    </message>
    <message>
        <source>The trial has no run, or its run was deleted.</source>
        <translation>A tentativa não tem treino, ou ele foi excluído.</translation>
    </message>
    <message>
        <source>The trial has not started.</source>
        <translation>A tentativa ainda não começou.</translation>
    </message>
    <message>
        <source>Train longer</source>
        <translation>Treinar mais</translation>
    </message>
    <message>
        <source>Trains the trial again, for example after a failure.</source>
        <translation>Treina a tentativa de novo, por exemplo após uma falha.</translation>
    </message>
    <message>
        <source>Trial {number}</source>
        <translation>Tentativa {number}</translation>
    </message>
</context>
<context>
    <name>TrialCharts</name>
    <message>
        <source>Charts of the trials.</source>
        <translation>Gráficos das tentativas.</translation>
    </message>
</context>
<context>
    <name>TrialsTable</name>
    <message>
        <source>Move down</source>
        <translation>Mover para baixo</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Mover para cima</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>Tentativas</translation>
    </message>
</context>
<context>
    <name>UndoButtons</name>
    <message>
        <source>Nothing to redo</source>
        <translation>Nada a refazer</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>Nada a desfazer</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Refazer</translation>
    </message>
    <message>
        <source>Redo: {what}</source>
        <translation>Refazer: {what}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>Undo: {what}</source>
        <translation>Desfazer: {what}</translation>
    </message>
</context>
<context>
    <name>Usage</name>
    <message>
        <source>Computing</source>
        <translation>Calculando</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Época</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>Memória da GPU</translation>
    </message>
    <message>
        <source>GPU power (W)</source>
        <translation>Potência da GPU (W)</translation>
    </message>
    <message>
        <source>GPU temperature (°C)</source>
        <translation>Temperatura da GPU (°C)</translation>
    </message>
    <message>
        <source>Images per second</source>
        <translation>Imagens por segundo</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Carga</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Máquina</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memória</translation>
    </message>
    <message>
        <source>Memory (GB)</source>
        <translation>Memória (GB)</translation>
    </message>
    <message>
        <source>Minutes of training</source>
        <translation>Minutos de treino</translation>
    </message>
    <message>
        <source>Not measured yet …</source>
        <translation>Ainda não medido …</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Processador</translation>
    </message>
    <message>
        <source>Processor, this run</source>
        <translation>Processador, este treino</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>Este treino</translation>
    </message>
    <message>
        <source>This run has no measurements.</source>
        <translation>Este treino não tem medições.</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Vazão</translation>
    </message>
    <message>
        <source>Validating</source>
        <translation>Validando</translation>
    </message>
    <message>
        <source>Waiting for data</source>
        <translation>Aguardando dados</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>Onde o tempo é gasto</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Gravando</translation>
    </message>
    <message>
        <source>{part}: {share} of the last minute</source>
        <translation>{part}: {share} do último minuto</translation>
    </message>
    <message>
        <source>{part}: {share} of the time</source>
        <translation>{part}: {share} do tempo</translation>
    </message>
    <message>
        <source>{size} left on the disk</source>
        <translation>{size} livres no disco</translation>
    </message>
</context>
<context>
    <name>VersionsSection</name>
    <message>
        <source>All versions of the dataset. Select one to compare it or go back to it.</source>
        <translation>Todas as versões do conjunto de dados. Selecione uma para compará-la ou voltar a ela.</translation>
    </message>
    <message>
        <source>As imported</source>
        <translation>Como importado</translation>
    </message>
    <message>
        <source>Choose a version first</source>
        <translation>Escolha uma versão primeiro</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Comparada com</translation>
    </message>
    <message>
        <source>Current version</source>
        <translation>Versão atual</translation>
    </message>
    <message>
        <source>Go back to it</source>
        <translation>Voltar a ela</translation>
    </message>
    <message>
        <source>Go back to version {n}</source>
        <translation>Voltar à versão {n}</translation>
    </message>
    <message>
        <source>Makes a new version equal to that one. You can undo it</source>
        <translation>Cria uma nova versão igual a essa. Você pode desfazê-la</translation>
    </message>
    <message>
        <source>Makes the selected version current. The others are kept.</source>
        <translation>Torna atual a versão selecionada. As outras são mantidas.</translation>
    </message>
    <message>
        <source>No run used this version.</source>
        <translation>Nenhum treino usou esta versão.</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Treinos</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Versão</translation>
    </message>
    <message>
        <source>Version to compare with</source>
        <translation>Versão com que comparar</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versões</translation>
    </message>
    <message>
        <source>Wait until the previous edit is done</source>
        <translation>Aguarde a edição anterior terminar</translation>
    </message>
    <message>
        <source>What was done</source>
        <translation>O que foi feito</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Quando</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>comparada com</translation>
    </message>
</context>
<context>
    <name>VideoReader</name>
    <message>
        <source>The video cannot be read.</source>
        <translation>O vídeo não pode ser lido.</translation>
    </message>
    <message>
        <source>The video contains no pictures.</source>
        <translation>O vídeo não contém imagens.</translation>
    </message>
</context>
<context>
    <name>View</name>
    <message>
        <source>A benchmark measures training with each batch size on each device, or prediction in each export format, and recommends what to use on this machine.</source>
        <translation>Um benchmark mede o treino com cada tamanho de lote em cada dispositivo, ou a previsão em cada formato de exportação, e recomenda o que usar nesta máquina.</translation>
    </message>
    <message>
        <source>A one-minute tour imports images, trains a network and tests it.</source>
        <translation>Um tour de um minuto importa imagens, treina uma rede e a testa.</translation>
    </message>
    <message>
        <source>A sweep needs a dataset. Import images there.</source>
        <translation>Uma varredura precisa de um conjunto de dados. Importe imagens lá.</translation>
    </message>
    <message>
        <source>A sweep trains a network many times with different settings and finds the best.</source>
        <translation>Uma varredura treina uma rede muitas vezes com configurações diferentes e encontra as melhores.</translation>
    </message>
    <message>
        <source>A workspace holds datasets, runs and exports in one folder.</source>
        <translation>Um espaço de trabalho reúne conjuntos de dados, treinos e exportações numa pasta.</translation>
    </message>
    <message>
        <source>All benchmarks, newest first. Choose one to see its results.</source>
        <translation>Todos os benchmarks, os mais recentes primeiro. Escolha um para ver seus resultados.</translation>
    </message>
    <message>
        <source>All evaluations, newest first. Choose one to see its report.</source>
        <translation>Todas as avaliações, as mais recentes primeiro. Escolha uma para ver seu relatório.</translation>
    </message>
    <message>
        <source>All exports, newest first. Select one to read its certificates.</source>
        <translation>Todas as exportações, da mais recente à mais antiga. Selecione uma para ler seus certificados.</translation>
    </message>
    <message>
        <source>All images as points, or one picture layer by layer.</source>
        <translation>Todas as imagens como pontos, ou uma imagem camada por camada.</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>Todos os treinos</translation>
    </message>
    <message>
        <source>All runs, newest first. Choose one to see its curves.</source>
        <translation>Todos os treinos, o mais novo primeiro. Escolha um para ver as curvas.</translation>
    </message>
    <message>
        <source>All sweeps, newest first. Choose one to see its trials.</source>
        <translation>Todas as varreduras, a mais nova primeiro. Escolha uma para ver as tentativas.</translation>
    </message>
    <message>
        <source>An archive, a list of images, or an array file.</source>
        <translation>Um arquivo compactado, uma lista de imagens ou um arquivo de arrays.</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>Auditoria</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Linha de base</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>Benchmarks</source>
        <translation>Benchmarks</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Changes take effect immediately.</source>
        <translation>As mudanças valem imediatamente.</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Escolher um arquivo…</translation>
    </message>
    <message>
        <source>Choose a folder with one folder per class</source>
        <translation>Escolha uma pasta com uma pasta por classe</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Escolher uma pasta…</translation>
    </message>
    <message>
        <source>Choose a model and press Evaluate to see its metrics and the images it gets wrong.</source>
        <translation>Escolha um modelo e pressione Avaliar para ver suas métricas e as imagens que ele erra.</translation>
    </message>
    <message>
        <source>Choose a picture</source>
        <translation>Escolha uma imagem</translation>
    </message>
    <message>
        <source>Choose an archive, a list of images, or an array file</source>
        <translation>Escolha um arquivo compactado, uma lista de imagens ou um arquivo de arrays</translation>
    </message>
    <message>
        <source>Copied. Paste it into a terminal to run the script.</source>
        <translation>Copiado. Cole em um terminal para executar o script.</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Delete 1 record ({size}) forever? This cannot be undone.</source>
        <translation>Excluir 1 registro ({size}) para sempre? Isto não pode ser desfeito.</translation>
    </message>
    <message>
        <source>Delete forever</source>
        <translation>Excluir para sempre</translation>
    </message>
    <message>
        <source>Delete forever…</source>
        <translation>Excluir para sempre…</translation>
    </message>
    <message>
        <source>Delete {count} records ({size}) forever? This cannot be undone.</source>
        <translation>Excluir {count} registros ({size}) para sempre? Isto não pode ser desfeito.</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Excluído em</translation>
    </message>
    <message>
        <source>Deleted datasets, runs and other records appear here until you empty it.</source>
        <translation>Conjuntos de dados, treinos e outros registros excluídos aparecem aqui até você esvaziá-la.</translation>
    </message>
    <message>
        <source>Deleted records</source>
        <translation>Registros excluídos</translation>
    </message>
    <message>
        <source>Deleted records stay here until you empty the trash.</source>
        <translation>Os registros excluídos ficam aqui até você esvaziar a lixeira.</translation>
    </message>
    <message>
        <source>Deletes everything in the trash, after asking.</source>
        <translation>Exclui tudo na lixeira, após perguntar.</translation>
    </message>
    <message>
        <source>Deletes nothing.</source>
        <translation>Não exclui nada.</translation>
    </message>
    <message>
        <source>Deletes the selected records after asking.</source>
        <translation>Exclui os registros selecionados, após perguntar.</translation>
    </message>
    <message>
        <source>Deleting…</source>
        <translation>Excluindo…</translation>
    </message>
    <message>
        <source>Draw a network</source>
        <translation>Desenhar uma rede</translation>
    </message>
    <message>
        <source>Drop a folder of images here</source>
        <translation>Solte uma pasta de imagens aqui</translation>
    </message>
    <message>
        <source>Empty trash…</source>
        <translation>Esvaziar a lixeira…</translation>
    </message>
    <message>
        <source>Evaluate {name}</source>
        <translation>Avaliar {name}</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Avaliação</translation>
    </message>
    <message>
        <source>Every exported file is loaded again and compared with the trained model. Its certificate appears here.</source>
        <translation>Cada arquivo exportado é carregado de novo e comparado com o modelo treinado. O certificado aparece aqui.</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Explorar</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Files that work without Studio, each measured by its own runtime before you rely on it.</source>
        <translation>Arquivos que funcionam sem o Studio, cada um medido com o seu próprio runtime antes de você confiar nele.</translation>
    </message>
    <message>
        <source>From papers, pretrained on millions of images, or drawn by you.</source>
        <translation>De artigos, pré-treinadas com milhões de imagens, ou desenhadas por você.</translation>
    </message>
    <message>
        <source>Go to the data</source>
        <translation>Ir para os dados</translation>
    </message>
    <message>
        <source>Import a folder of images first, or try the handwritten digits.</source>
        <translation>Importe primeiro uma pasta de imagens, ou teste os dígitos manuscritos.</translation>
    </message>
    <message>
        <source>Import a folder of images first.</source>
        <translation>Importe primeiro uma pasta de imagens.</translation>
    </message>
    <message>
        <source>Import images first.</source>
        <translation>Importe imagens primeiro.</translation>
    </message>
    <message>
        <source>Import the images in “{name}”</source>
        <translation>Importar as imagens em “{name}”</translation>
    </message>
    <message>
        <source>Inspect {name} with {model}</source>
        <translation>Inspecionar {name} com {model}</translation>
    </message>
    <message>
        <source>It predicts a class for each pixel. Train it on a dataset with masks.</source>
        <translation>Ela prevê uma classe por pixel. Treine-a em um conjunto de dados com máscaras.</translation>
    </message>
    <message>
        <source>It predicts one answer for each image, but this dataset has masks.</source>
        <translation>Ela prevê uma resposta por imagem, mas este conjunto de dados tem máscaras.</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Mapa</translation>
    </message>
    <message>
        <source>Map of images</source>
        <translation>Mapa de imagens</translation>
    </message>
    <message>
        <source>Measures how fast networks train and predict on this machine.</source>
        <translation>Mede a velocidade de treino e previsão das redes nesta máquina.</translation>
    </message>
    <message>
        <source>More samples…</source>
        <translation>Mais exemplos…</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>Mover para a lixeira</translation>
    </message>
    <message>
        <source>Moves the selected records back to their pages.</source>
        <translation>Devolve os registros selecionados às suas páginas.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Networks</source>
        <translation>Redes</translation>
    </message>
    <message>
        <source>Networks and models ({files})</source>
        <translation>Redes e modelos ({files})</translation>
    </message>
    <message>
        <source>New benchmark</source>
        <translation>Novo benchmark</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>Novo treino</translation>
    </message>
    <message>
        <source>New sweep</source>
        <translation>Nova varredura</translation>
    </message>
    <message>
        <source>No benchmarks yet</source>
        <translation>Nenhum benchmark ainda</translation>
    </message>
    <message>
        <source>No deleted record matches.</source>
        <translation>Nenhum registro excluído corresponde à busca.</translation>
    </message>
    <message>
        <source>No evaluations yet</source>
        <translation>Nenhuma avaliação ainda</translation>
    </message>
    <message>
        <source>No program opened the folder {path}.</source>
        <translation>Nenhum programa abriu a pasta {path}.</translation>
    </message>
    <message>
        <source>No settings match.</source>
        <translation>Nenhuma configuração encontrada.</translation>
    </message>
    <message>
        <source>No sweeps yet</source>
        <translation>Nenhuma varredura ainda</translation>
    </message>
    <message>
        <source>Nothing exported yet</source>
        <translation>Nada exportado ainda</translation>
    </message>
    <message>
        <source>Nothing to train on yet</source>
        <translation>Ainda não há com que treinar</translation>
    </message>
    <message>
        <source>One folder per class. Archives, lists and array files work, too.</source>
        <translation>Uma pasta por classe. Arquivos compactados, listas e arquivos de arrays também servem.</translation>
    </message>
    <message>
        <source>One picture</source>
        <translation>Uma imagem</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Abrir um arquivo…</translation>
    </message>
    <message>
        <source>Open a folder of images</source>
        <translation>Abrir uma pasta de imagens</translation>
    </message>
    <message>
        <source>Open a network</source>
        <translation>Abrir uma rede</translation>
    </message>
    <message>
        <source>Open a recent workspace</source>
        <translation>Abrir um espaço de trabalho recente</translation>
    </message>
    <message>
        <source>Open the network in “{name}”</source>
        <translation>Abrir a rede em “{name}”</translation>
    </message>
    <message>
        <source>Opens a drawing, or a Keras model, in the designer.</source>
        <translation>Abre um desenho, ou um modelo Keras, no desenhador.</translation>
    </message>
    <message>
        <source>Opens a new run: images, network and training settings.</source>
        <translation>Abre um novo treino: imagens, rede e configurações de treino.</translation>
    </message>
    <message>
        <source>Opens an empty drawing in the designer.</source>
        <translation>Abre um desenho vazio no editor.</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operações</translation>
    </message>
    <message>
        <source>Or one file: an archive, a list of images, or an array file.</source>
        <translation>Ou um arquivo: um pacote compactado, uma lista de imagens ou um arquivo de arrays.</translation>
    </message>
    <message>
        <source>Pictures ({endings});;All files (*)</source>
        <translation>Imagens ({endings});;Todos os arquivos (*)</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Previsão</translation>
    </message>
    <message>
        <source>Preflight check</source>
        <translation>Verificação prévia</translation>
    </message>
    <message>
        <source>Preview its classes, then import it. Your files are not changed.</source>
        <translation>Veja as classes e depois importe. Os seus arquivos não mudam.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurar</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Treinos</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>Procurar configurações</translation>
    </message>
    <message>
        <source>Search the trash</source>
        <translation>Buscar na lixeira</translation>
    </message>
    <message>
        <source>Select a record first.</source>
        <translation>Selecione um registro primeiro.</translation>
    </message>
    <message>
        <source>Select records to restore or delete them.</source>
        <translation>Selecione registros para restaurá-los ou excluí-los.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>Shows only records whose name contains this text.</source>
        <translation>Mostra só os registros cujo nome contém este texto.</translation>
    </message>
    <message>
        <source>Shows only settings that contain the text.</source>
        <translation>Mostra só as configurações que contêm o texto.</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamanho</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Varredura</translation>
    </message>
    <message>
        <source>Sweeps</source>
        <translation>Varreduras</translation>
    </message>
    <message>
        <source>The folder {path} no longer exists. Export again to restore it.</source>
        <translation>A pasta {path} não existe mais. Exporte de novo para restaurá-la.</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>A lixeira está vazia</translation>
    </message>
    <message>
        <source>Then drop any picture here to see the prediction.</source>
        <translation>Depois solte qualquer imagem aqui para ver a previsão.</translation>
    </message>
    <message>
        <source>Then export it as a file that works without Studio.</source>
        <translation>Depois, exporte-o como um arquivo que funciona sem o Studio.</translation>
    </message>
    <message>
        <source>Then see its metrics and the images it gets wrong.</source>
        <translation>Depois, veja suas métricas e as imagens que ele erra.</translation>
    </message>
    <message>
        <source>Then see which images are similar to the network, and what its predictions depend on.</source>
        <translation>Depois veja que imagens são parecidas para a rede e de que dependem suas previsões.</translation>
    </message>
    <message>
        <source>This cannot be imported. Drop one folder of images here</source>
        <translation>Isto não pode ser importado. Solte uma pasta de imagens aqui</translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation>Isto não pode ser desfeito.</translation>
    </message>
    <message>
        <source>Train your computer to recognize images.</source>
        <translation>Treine seu computador para reconhecer imagens.</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Trains many networks with different settings and shows the best.</source>
        <translation>Treina muitas redes com configurações diferentes e mostra as melhores.</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Lixeira</translation>
    </message>
    <message>
        <source>Try the handwritten digits</source>
        <translation>Testar os dígitos manuscritos</translation>
    </message>
    <message>
        <source>Views of the network</source>
        <translation>Vistas da rede</translation>
    </message>
    <message>
        <source>Well-known datasets to try things out.</source>
        <translation>Conjuntos de dados conhecidos para experimentar.</translation>
    </message>
    <message>
        <source>{model} · {split}</source>
        <translation>{model} · {split}</translation>
    </message>
</context>
<context>
    <name>WeightsBox</name>
    <message>
        <source>A file…</source>
        <translation>Um arquivo…</translation>
    </message>
    <message>
        <source>Another run…</source>
        <translation>Outro treino…</translation>
    </message>
    <message>
        <source>ImageNet (1.3 million photographs)</source>
        <translation>ImageNet (1,3 milhão de fotografias)</translation>
    </message>
    <message>
        <source>Random weights</source>
        <translation>Pesos aleatórios</translation>
    </message>
    <message>
        <source>Starting weights</source>
        <translation>Pesos iniciais</translation>
    </message>
    <message>
        <source>The export “{name}”</source>
        <translation>A exportação “{name}”</translation>
    </message>
    <message>
        <source>The run “{name}”</source>
        <translation>O treino “{name}”</translation>
    </message>
    <message>
        <source>The run “{name}”, epoch {epoch}</source>
        <translation>O treino “{name}”, época {epoch}</translation>
    </message>
    <message>
        <source>{name}</source>
        <translation>{name}</translation>
    </message>
</context>
<context>
    <name>WeightsRow</name>
    <message>
        <source>Another download is under way.</source>
        <translation>Outro download está em andamento.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Cancels the download. It starts over next time.</source>
        <translation>Cancela o download. Na próxima vez, ele recomeça do início.</translation>
    </message>
    <message>
        <source>Delete weights</source>
        <translation>Excluir pesos</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Baixar</translation>
    </message>
    <message>
        <source>Downloads weights pretrained on ImageNet, so that few images are enough.</source>
        <translation>Baixa os pesos pré-treinados no ImageNet, para que poucas imagens bastem.</translation>
    </message>
    <message>
        <source>Frees disk space. You can download the weights again.</source>
        <translation>Libera espaço no disco. Você pode baixar os pesos de novo.</translation>
    </message>
    <message>
        <source>ImageNet weights are being downloaded</source>
        <translation>Os pesos da ImageNet estão sendo baixados</translation>
    </message>
    <message>
        <source>ImageNet weights: not on this computer; training downloads them</source>
        <translation>Pesos da ImageNet: não estão neste computador; o treino os baixa</translation>
    </message>
    <message>
        <source>ImageNet weights: {size} on this computer</source>
        <translation>Pesos da ImageNet: {size} neste computador</translation>
    </message>
</context>
<context>
    <name>WorkGroup</name>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>How many jobs of this workspace run at the same time. Without a limit, a job starts as soon as a device is free.</source>
        <translation>Quantos trabalhos deste espaço são executados ao mesmo tempo. Sem limite, cada um começa assim que um dispositivo fica livre.</translation>
    </message>
    <message>
        <source>Jobs at once</source>
        <translation>Trabalhos simultâneos</translation>
    </message>
    <message>
        <source>Keep the computer awake</source>
        <translation>Manter o computador acordado</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Sem limite</translation>
    </message>
    <message>
        <source>Notifications are off.</source>
        <translation>As notificações estão desligadas.</translation>
    </message>
    <message>
        <source>Notify only after</source>
        <translation>Notificar só a partir de</translation>
    </message>
    <message>
        <source>Notify when a job ends</source>
        <translation>Notificar quando um trabalho termina</translation>
    </message>
    <message>
        <source>Prevents sleep while jobs are running. The screen may still turn off.</source>
        <translation>Impede a suspensão enquanto há trabalhos em execução. A tela ainda pode desligar.</translation>
    </message>
    <message>
        <source>Reading the limits of the workspace…</source>
        <translation>Lendo os limites do espaço de trabalho…</translation>
    </message>
    <message>
        <source>Shorter jobs end without a notification.</source>
        <translation>Trabalhos mais curtos terminam sem notificação.</translation>
    </message>
    <message>
        <source>Shows a system notification while the window is in the background.</source>
        <translation>Mostra uma notificação do sistema enquanto a janela está em segundo plano.</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Trabalho</translation>
    </message>
    <message>
        <source>notifications message alert finished</source>
        <translation>notificações mensagem aviso terminado</translation>
    </message>
    <message>
        <source>notifications message seconds duration</source>
        <translation>notificações mensagem segundos duração</translation>
    </message>
    <message>
        <source>sleep standby suspend energy power</source>
        <translation>suspensão dormir suspender energia</translation>
    </message>
    <message>
        <source>workers queue parallel limit</source>
        <translation>trabalhadores fila paralelo limite</translation>
    </message>
</context>
<context>
    <name>WorkspaceMenu</name>
    <message>
        <source>Choose a folder…</source>
        <translation>Escolher uma pasta…</translation>
    </message>
    <message>
        <source>{name} (open)</source>
        <translation>{name} (aberto)</translation>
    </message>
    <message>
        <source>{name} – {folder}</source>
        <translation>{name} – {folder}</translation>
    </message>
    <message>
        <source>{name} – {folder} (missing)</source>
        <translation>{name} – {folder} (ausente)</translation>
    </message>
</context>
<context>
    <name>WorstImages</name>
    <message>
        <source>All classes</source>
        <translation>Todas as classes</translation>
    </message>
    <message>
        <source>Images with the largest errors</source>
        <translation>Imagens com os maiores erros</translation>
    </message>
    <message>
        <source>Shows the worst images of all classes together.</source>
        <translation>Mostra as piores imagens de todas as classes juntas.</translation>
    </message>
    <message>
        <source>The largest errors come first. Double-click one to open it.</source>
        <translation>Os maiores erros vêm primeiro. Clique duas vezes em uma para abri-la.</translation>
    </message>
</context>
<context>
    <name>bench</name>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Lote</translation>
    </message>
    <message>
        <source>Batch {count}</source>
        <translation>Lote {count}</translation>
    </message>
    <message>
        <source>CPU time per batch: {time} ms</source>
        <translation>Tempo de CPU por lote: {time} ms</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Differs</source>
        <translation>Difere</translation>
    </message>
    <message>
        <source>Equally fast within measurement noise: {names}.</source>
        <translation>Igualmente rápidos, dentro do ruído de medição: {names}.</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Falhou</translation>
    </message>
    <message>
        <source>Fastest for single images: {name}, {time} ms.</source>
        <translation>Mais rápido para imagens individuais: {name}, {time} ms.</translation>
    </message>
    <message>
        <source>File: {size}</source>
        <translation>Arquivo: {size}</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Formato</translation>
    </message>
    <message>
        <source>From device</source>
        <translation>Do dispositivo</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Highest throughput: {speed} images per second with {name}, batch size {batch}.</source>
        <translation>Maior vazão: {speed} imagens por segundo com {name}, tamanho do lote {batch}.</translation>
    </message>
    <message>
        <source>Images/s</source>
        <translation>Imagens/s</translation>
    </message>
    <message>
        <source>Implementation</source>
        <translation>Implementação</translation>
    </message>
    <message>
        <source>Loaded in {time} s by {runtime}</source>
        <translation>Carregado em {time} s por {runtime}</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Coincide</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Medida</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Medindo</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memória</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operação</translation>
    </message>
    <message>
        <source>Other programs used up to {share} of the CPU during the benchmark. Close them for faster results.</source>
        <translation>Outros programas usaram até {share} da CPU durante o benchmark. Feche-os para resultados mais rápidos.</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>Sem memória</translation>
    </message>
    <message>
        <source>Peak memory: {size}</source>
        <translation>Pico de memória: {size}</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Potência</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisão</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Resultado</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamanho</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Ignorado</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Aceleração</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>Tempo esgotado</translation>
    </message>
    <message>
        <source>To device</source>
        <translation>Ao dispositivo</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Aguardando</translation>
    </message>
    <message>
        <source>Without {what}: {reason}. {install}</source>
        <translation>Sem {what}: {reason}. {install}</translation>
    </message>
    <message>
        <source>ms per image</source>
        <translation>ms por imagem</translation>
    </message>
    <message>
        <source>{calls} batches; 95th percentile: {time} ms</source>
        <translation>{calls} lotes; percentil 95: {time} ms</translation>
    </message>
    <message>
        <source>{done} of {all} cells</source>
        <translation>{done} de {all} células</translation>
    </message>
    <message>
        <source>{factor}×</source>
        <translation>{factor}×</translation>
    </message>
    <message>
        <source>{speed}/s</source>
        <translation>{speed}/s</translation>
    </message>
    <message>
        <source>{time} ms</source>
        <translation>{time} ms</translation>
    </message>
    <message>
        <source>{time} µs</source>
        <translation>{time} µs</translation>
    </message>
    <message>
        <source>{watts} W</source>
        <translation>{watts} W</translation>
    </message>
</context>
<context>
    <name>commands</name>
    <message>
        <source>All runs in a table</source>
        <translation>Todos os treinos em uma tabela</translation>
    </message>
    <message>
        <source>Back from the images to the dataset</source>
        <translation>Voltar das imagens ao conjunto de dados</translation>
    </message>
    <message>
        <source>Caches and their size on disk</source>
        <translation>Caches e seu tamanho no disco</translation>
    </message>
    <message>
        <source>Choose pictures for a prediction…</source>
        <translation>Escolher imagens para uma previsão…</translation>
    </message>
    <message>
        <source>Close the window; jobs continue</source>
        <translation>Fechar a janela; os trabalhos continuam</translation>
    </message>
    <message>
        <source>Dark colors</source>
        <translation>Cores escuras</translation>
    </message>
    <message>
        <source>Defaults of new runs</source>
        <translation>Padrões de novos treinos</translation>
    </message>
    <message>
        <source>Draw a network</source>
        <translation>Desenhar uma rede</translation>
    </message>
    <message>
        <source>Exclude the selected images</source>
        <translation>Omitir as imagens selecionadas</translation>
    </message>
    <message>
        <source>Explain the control that you click next</source>
        <translation>Explicar o controle em que você clica em seguida</translation>
    </message>
    <message>
        <source>Go from layer to layer in the drawing</source>
        <translation>Ir de camada em camada no desenho</translation>
    </message>
    <message>
        <source>Go to the next or previous control</source>
        <translation>Ir para o controle seguinte ou anterior</translation>
    </message>
    <message>
        <source>Go to the next part of the window</source>
        <translation>Ir para a próxima parte da janela</translation>
    </message>
    <message>
        <source>Go to the previous part of the window</source>
        <translation>Ir para a parte anterior da janela</translation>
    </message>
    <message>
        <source>Help for this page</source>
        <translation>Ajuda desta página</translation>
    </message>
    <message>
        <source>Import a folder of images…</source>
        <translation>Importar uma pasta de imagens…</translation>
    </message>
    <message>
        <source>Invert the selection of runs</source>
        <translation>Inverter a seleção de treinos</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atalhos de teclado</translation>
    </message>
    <message>
        <source>Larger pictures</source>
        <translation>Imagens maiores</translation>
    </message>
    <message>
        <source>Leave what is open</source>
        <translation>Sair do que está aberto</translation>
    </message>
    <message>
        <source>Light colors</source>
        <translation>Cores claras</translation>
    </message>
    <message>
        <source>Move all failed jobs to the trash</source>
        <translation>Mover todos os trabalhos que falharam para a lixeira</translation>
    </message>
    <message>
        <source>Move in a list, a table, a chart or among tabs</source>
        <translation>Mover-se em uma lista, uma tabela, um gráfico ou entre abas</translation>
    </message>
    <message>
        <source>Move the selected runs to the trash</source>
        <translation>Mover os treinos selecionados para a lixeira</translation>
    </message>
    <message>
        <source>Move the selected trial down</source>
        <translation>Mover a tentativa selecionada para baixo</translation>
    </message>
    <message>
        <source>Move the selected trial up</source>
        <translation>Mover a tentativa selecionada para cima</translation>
    </message>
    <message>
        <source>New benchmark</source>
        <translation>Novo benchmark</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>Novo treino</translation>
    </message>
    <message>
        <source>New sweep</source>
        <translation>Nova varredura</translation>
    </message>
    <message>
        <source>Open a network from a file…</source>
        <translation>Abrir uma rede de um arquivo…</translation>
    </message>
    <message>
        <source>Open another workspace…</source>
        <translation>Abrir outro espaço de trabalho…</translation>
    </message>
    <message>
        <source>Open the selected run</source>
        <translation>Abrir o treino selecionado</translation>
    </message>
    <message>
        <source>Open the selected trial</source>
        <translation>Abrir a tentativa selecionada</translation>
    </message>
    <message>
        <source>Pause the queue</source>
        <translation>Pausar a fila</translation>
    </message>
    <message>
        <source>Predict the picture in the clipboard</source>
        <translation>Prever a imagem da área de transferência</translation>
    </message>
    <message>
        <source>Press a button or a card</source>
        <translation>Pressionar um botão ou um cartão</translation>
    </message>
    <message>
        <source>Redo the last change of a dataset</source>
        <translation>Refazer a última mudança de um conjunto de dados</translation>
    </message>
    <message>
        <source>Rename the selected run</source>
        <translation>Renomear o treino selecionado</translation>
    </message>
    <message>
        <source>Resume the queue</source>
        <translation>Retomar a fila</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>Procurar ou executar um comando</translation>
    </message>
    <message>
        <source>Search the images</source>
        <translation>Procurar imagens</translation>
    </message>
    <message>
        <source>Select no run</source>
        <translation>Não selecionar nenhum treino</translation>
    </message>
    <message>
        <source>Show all jobs, or one</source>
        <translation>Mostrar todos os trabalhos, ou um</translation>
    </message>
    <message>
        <source>Show all sample datasets</source>
        <translation>Mostrar todos os conjuntos de exemplo</translation>
    </message>
    <message>
        <source>Show all settings of forms, or only a few</source>
        <translation>Mostrar todas as configurações dos formulários, ou só algumas</translation>
    </message>
    <message>
        <source>Smaller pictures</source>
        <translation>Imagens menores</translation>
    </message>
    <message>
        <source>Step through the frames of a video</source>
        <translation>Avançar pelos quadros de um vídeo</translation>
    </message>
    <message>
        <source>Theme of the system</source>
        <translation>Tema do sistema</translation>
    </message>
    <message>
        <source>Try the handwritten digits: a guided tour</source>
        <translation>Testar os dígitos manuscritos: um tour guiado</translation>
    </message>
    <message>
        <source>Undo the last change of a dataset</source>
        <translation>Desfazer a última mudança de um conjunto de dados</translation>
    </message>
    <message>
        <source>compare list columns trainings</source>
        <translation>comparar lista colunas treinos</translation>
    </message>
    <message>
        <source>delete remove clean up errors runs</source>
        <translation>excluir remover limpar erros treinos</translation>
    </message>
    <message>
        <source>demo example</source>
        <translation>demonstração exemplo</translation>
    </message>
    <message>
        <source>empty clear space memory weights downloads</source>
        <translation>esvaziar limpar espaço memória pesos downloads</translation>
    </message>
    <message>
        <source>epochs batch size device optimizer preferences</source>
        <translation>épocas tamanho lote dispositivo otimizador preferências</translation>
    </message>
    <message>
        <source>expert beginner more advanced</source>
        <translation>especialista iniciante mais avançado</translation>
    </message>
    <message>
        <source>focus rail page tray keyboard</source>
        <translation>foco trilho página fila teclado</translation>
    </message>
    <message>
        <source>folder project new switch</source>
        <translation>pasta projeto novo trocar</translation>
    </message>
    <message>
        <source>help explain tip</source>
        <translation>ajuda explicar dica</translation>
    </message>
    <message>
        <source>jobs continue release start</source>
        <translation>trabalhos continuar liberar iniciar</translation>
    </message>
    <message>
        <source>jobs hold wait stop starting</source>
        <translation>trabalhos segurar esperar parar iniciar</translation>
    </message>
    <message>
        <source>keras json h5 model</source>
        <translation>keras json h5 modelo</translation>
    </message>
    <message>
        <source>keys hotkeys change list</source>
        <translation>teclas atalhos mudar lista</translation>
    </message>
    <message>
        <source>manual documentation topics glossary how</source>
        <translation>manual documentação temas glossário como</translation>
    </message>
    <message>
        <source>new designer layers create</source>
        <translation>novo editor camadas criar</translation>
    </message>
    <message>
        <source>open add new dataset data archive file</source>
        <translation>abrir adicionar novo conjunto dados dataset pacote arquivo</translation>
    </message>
    <message>
        <source>predict open image file</source>
        <translation>prever abrir imagem arquivo</translation>
    </message>
    <message>
        <source>predict paste image</source>
        <translation>prever colar imagem</translation>
    </message>
    <message>
        <source>queue tray running waiting</source>
        <translation>fila trabalhos em execução em espera</translation>
    </message>
    <message>
        <source>quit exit leave</source>
        <translation>sair fechar deixar</translation>
    </message>
    <message>
        <source>sample demo example start learn help</source>
        <translation>amostra demonstração exemplo começar aprender ajuda</translation>
    </message>
    <message>
        <source>search settings grid optuna create trials</source>
        <translation>buscar configurações grade optuna criar tentativas</translation>
    </message>
    <message>
        <source>speed device batch size measure create</source>
        <translation>velocidade dispositivo tamanho lote medir criar</translation>
    </message>
    <message>
        <source>theme mode automatic</source>
        <translation>tema modo automático</translation>
    </message>
    <message>
        <source>theme mode bright day</source>
        <translation>tema modo claro dia</translation>
    </message>
    <message>
        <source>theme mode night</source>
        <translation>tema modo noite</translation>
    </message>
    <message>
        <source>train training start learn create</source>
        <translation>treinar treino iniciar aprender criar</translation>
    </message>
</context>
<context>
    <name>datasets</name>
    <message>
        <source>1 file was left out</source>
        <translation>1 arquivo foi deixado de fora</translation>
    </message>
    <message>
        <source>1 file will be left out</source>
        <translation>1 arquivo será deixado de fora</translation>
    </message>
    <message>
        <source>1 image</source>
        <translation>1 imagem</translation>
    </message>
    <message>
        <source>1 image/s</source>
        <translation>1 imagem/s</translation>
    </message>
    <message>
        <source>1 serious</source>
        <translation>1 grave</translation>
    </message>
    <message>
        <source>1 suggestion</source>
        <translation>1 sugestão</translation>
    </message>
    <message>
        <source>1 warning</source>
        <translation>1 alerta</translation>
    </message>
    <message>
        <source>All images are stored as JPEG; those of “{name}” are recompressed.</source>
        <translation>Todas as imagens são guardadas como JPEG; as de “{name}” são recomprimidas.</translation>
    </message>
    <message>
        <source>All images are stored as PNG.</source>
        <translation>Todas as imagens são guardadas como PNG.</translation>
    </message>
    <message>
        <source>All images of “{name}” are kept</source>
        <translation>Todas as imagens de “{name}” são mantidas</translation>
    </message>
    <message>
        <source>As in “{name}”</source>
        <translation>Como em “{name}”</translation>
    </message>
    <message>
        <source>Assign one class to all of them</source>
        <translation>Atribuir uma classe a todas</translation>
    </message>
    <message>
        <source>Assign the predicted class to each</source>
        <translation>Atribuir a cada uma a classe prevista</translation>
    </message>
    <message>
        <source>Audited: version {audited}; current version: {newest}. Counts are up to date. Audit again to check the edits.</source>
        <translation>Versão auditada: {audited}; versão atual: {newest}. As contagens estão atualizadas. Audite de novo para verificar as edições.</translation>
    </message>
    <message>
        <source>Blank images</source>
        <translation>Imagens vazias</translation>
    </message>
    <message>
        <source>Blurred images</source>
        <translation>Imagens borradas</translation>
    </message>
    <message>
        <source>Changed the targets of {images}</source>
        <translation>Alvos de {images} alterados</translation>
    </message>
    <message>
        <source>Columns with the targets</source>
        <translation>Colunas com os alvos</translation>
    </message>
    <message>
        <source>Conflicting labels</source>
        <translation>Rótulos em conflito</translation>
    </message>
    <message>
        <source>Done again: {what}</source>
        <translation>Refeito: {what}</translation>
    </message>
    <message>
        <source>Done: no images left.</source>
        <translation>Pronto: não restam imagens.</translation>
    </message>
    <message>
        <source>Drop one folder or one file of images; {n} were dropped.</source>
        <translation>Solte uma única pasta ou arquivo de imagens; foram soltos {n}.</translation>
    </message>
    <message>
        <source>Drop the folder that contains the class folders, an archive of it, a list of images, or an array file.</source>
        <translation>Solte a pasta que contém as pastas das classes, um arquivo compactado dela, uma lista de imagens ou um arquivo de matrizes.</translation>
    </message>
    <message>
        <source>Edits are included (version {version}): new labels and splits are kept, excluded images are left out.</source>
        <translation>As edições são incluídas (versão {version}): novos rótulos e divisões são mantidos, imagens excluídas ficam de fora.</translation>
    </message>
    <message>
        <source>Empty masks</source>
        <translation>Máscaras vazias</translation>
    </message>
    <message>
        <source>Exact duplicates</source>
        <translation>Duplicatas exatas</translation>
    </message>
    <message>
        <source>Exclude them from every split. Your files never change.</source>
        <translation>Deixá-las fora de todas as divisões. Seus arquivos nunca são alterados.</translation>
    </message>
    <message>
        <source>Exclude {images}</source>
        <translation>Deixar {images} de fora</translation>
    </message>
    <message>
        <source>Excluded {images}</source>
        <translation>{images}: deixadas de fora</translation>
    </message>
    <message>
        <source>Files left out</source>
        <translation>Arquivos deixados de fora</translation>
    </message>
    <message>
        <source>From version {old} to version {new}</source>
        <translation>Da versão {old} para a versão {new}</translation>
    </message>
    <message>
        <source>Getting ready…</source>
        <translation>Preparando…</translation>
    </message>
    <message>
        <source>Images of this dataset have no single class</source>
        <translation>As imagens deste conjunto de dados não têm uma classe única</translation>
    </message>
    <message>
        <source>Images that change their split: {count}.</source>
        <translation>Imagens que mudam de divisão: {count}.</translation>
    </message>
    <message>
        <source>Imbalance</source>
        <translation>Desequilíbrio</translation>
    </message>
    <message>
        <source>Imbalance by pixels</source>
        <translation>Desbalanceamento por pixels</translation>
    </message>
    <message>
        <source>Import the images in “{name}”</source>
        <translation>Importar as imagens em “{name}”</translation>
    </message>
    <message>
        <source>Import the images in “{name}”, or add them to “{dataset}”</source>
        <translation>Importar as imagens em “{name}”, ou adicioná-las a “{dataset}”</translation>
    </message>
    <message>
        <source>Included {images} again</source>
        <translation>Nova inclusão de {images}</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>Informação</translation>
    </message>
    <message>
        <source>Leakage</source>
        <translation>Vazamento</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Deixadas de fora</translation>
    </message>
    <message>
        <source>Looking for images… {n} so far</source>
        <translation>Procurando imagens… {n} até agora</translation>
    </message>
    <message>
        <source>Makes a new dataset with the {images} of “{name}” in their current splits. “{name}” itself does not change.</source>
        <translation>Cria um novo conjunto de dados com as {images} de “{name}” nas divisões atuais. “{name}” não é alterado.</translation>
    </message>
    <message>
        <source>Missing from a split</source>
        <translation>Ausentes de uma divisão</translation>
    </message>
    <message>
        <source>More images</source>
        <translation>Mais imagens</translation>
    </message>
    <message>
        <source>Move each to the split of the same image; training comes first.</source>
        <translation>Mover cada uma para a divisão da mesma imagem; o treino vem primeiro.</translation>
    </message>
    <message>
        <source>Move {images}</source>
        <translation>Mover {images}</translation>
    </message>
    <message>
        <source>Moved {images}</source>
        <translation>Mudança de {images}</translation>
    </message>
    <message>
        <source>Moved {images} to {split}</source>
        <translation>Mudança de {images} para {split}</translation>
    </message>
    <message>
        <source>Near duplicates</source>
        <translation>Quase duplicatas</translation>
    </message>
    <message>
        <source>New images are converted to {shape}, too.</source>
        <translation>As novas imagens também são convertidas para {shape}.</translation>
    </message>
    <message>
        <source>No image has “{text}” in its path.</source>
        <translation>Nenhuma imagem tem “{text}” no caminho.</translation>
    </message>
    <message>
        <source>No images left for this finding.</source>
        <translation>Não restam imagens deste achado.</translation>
    </message>
    <message>
        <source>No images match: “{run}” predicted this class for none of them.</source>
        <translation>Nenhuma imagem corresponde: “{run}” não predisse esta classe para nenhuma delas.</translation>
    </message>
    <message>
        <source>No images of this class and split.</source>
        <translation>Nenhuma imagem desta classe e divisão.</translation>
    </message>
    <message>
        <source>No images were excluded.</source>
        <translation>Nenhuma imagem foi deixada de fora.</translation>
    </message>
    <message>
        <source>No run has used this dataset yet</source>
        <translation>Nenhum treino usou este conjunto de dados ainda</translation>
    </message>
    <message>
        <source>No separate source is set</source>
        <translation>Nenhuma fonte separada foi definida</translation>
    </message>
    <message>
        <source>None of the selected images has this class and split.</source>
        <translation>Nenhuma das imagens selecionadas é desta classe e divisão.</translation>
    </message>
    <message>
        <source>Only for lists of paths</source>
        <translation>Só para listas de caminhos</translation>
    </message>
    <message>
        <source>R {r}, G {g}, B {b}</source>
        <translation>R {r}, G {g}, B {b}</translation>
    </message>
    <message>
        <source>Relabel {images}</source>
        <translation>Reclassificar {images}</translation>
    </message>
    <message>
        <source>Relabeled {images}</source>
        <translation>Reclassificação de {images}</translation>
    </message>
    <message>
        <source>Renamed “{old}” to “{new}”</source>
        <translation>“{old}” renomeado para “{new}”</translation>
    </message>
    <message>
        <source>Same as the images</source>
        <translation>Igual ao das imagens</translation>
    </message>
    <message>
        <source>Serious</source>
        <translation>Grave</translation>
    </message>
    <message>
        <source>Split again</source>
        <translation>Dividir de novo</translation>
    </message>
    <message>
        <source>Split again by group: {val} validation, {test} test</source>
        <translation>Nova divisão por grupo: {val} de validação, {test} de teste</translation>
    </message>
    <message>
        <source>Split again, all images together: {val} validation, {test} test</source>
        <translation>Nova divisão, todas as imagens juntas: {val} de validação, {test} de teste</translation>
    </message>
    <message>
        <source>Split again, stratified: {val} validation, {test} test</source>
        <translation>Dividido de novo, estratificado: {val} de validação, {test} de teste</translation>
    </message>
    <message>
        <source>Split again: fold {fold} of {folds}</source>
        <translation>Nova divisão: fold {fold} de {folds}</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tarefa</translation>
    </message>
    <message>
        <source>Test images that become training images: {count}. Compare new results only with runs on the same split.</source>
        <translation>Imagens de teste que passam a ser de treino: {count}. Compare novos resultados apenas com treinos na mesma divisão.</translation>
    </message>
    <message>
        <source>The audit found no problems</source>
        <translation>A auditoria não encontrou problemas</translation>
    </message>
    <message>
        <source>The classes have names here</source>
        <translation>As classes têm nomes aqui</translation>
    </message>
    <message>
        <source>The source defines this split</source>
        <translation>A fonte define esta divisão</translation>
    </message>
    <message>
        <source>This split has no randomness</source>
        <translation>Esta divisão não tem aleatoriedade</translation>
    </message>
    <message>
        <source>Tiny files</source>
        <translation>Arquivos minúsculos</translation>
    </message>
    <message>
        <source>Tiny regions</source>
        <translation>Regiões minúsculas</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>Desfeito: {what}</translation>
    </message>
    <message>
        <source>Unusable masks</source>
        <translation>Máscaras inutilizáveis</translation>
    </message>
    <message>
        <source>Version {n}</source>
        <translation>Versão {n}</translation>
    </message>
    <message>
        <source>Very bright images</source>
        <translation>Imagens muito claras</translation>
    </message>
    <message>
        <source>Very dark images</source>
        <translation>Imagens muito escuras</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Alerta</translation>
    </message>
    <message>
        <source>Went back to version {n}</source>
        <translation>Volta à versão {n}</translation>
    </message>
    <message>
        <source>Wrong labels</source>
        <translation>Rótulos errados</translation>
    </message>
    <message>
        <source>color</source>
        <translation>em cores</translation>
    </message>
    <message>
        <source>gray</source>
        <translation>em cinza</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} de {total}</translation>
    </message>
    <message>
        <source>{done} of {total} images</source>
        <translation>{done} de {total} imagens</translation>
    </message>
    <message>
        <source>{images} excluded</source>
        <translation>{images} deixadas de fora</translation>
    </message>
    <message>
        <source>{images} in another split</source>
        <translation>{images} em outra divisão</translation>
    </message>
    <message>
        <source>{images} in {classes}</source>
        <translation>{images} em {classes}</translation>
    </message>
    <message>
        <source>{images} included again</source>
        <translation>{images} incluídas de novo</translation>
    </message>
    <message>
        <source>{images} with {classes}</source>
        <translation>{images} com {classes}</translation>
    </message>
    <message>
        <source>{low} to {high}{unit}, median {middle}{unit}</source>
        <translation>{low} a {high}{unit}, mediana {middle}{unit}</translation>
    </message>
    <message>
        <source>{n} files were left out</source>
        <translation>{n} arquivos foram deixados de fora</translation>
    </message>
    <message>
        <source>{n} files will be left out</source>
        <translation>{n} arquivos serão deixados de fora</translation>
    </message>
    <message>
        <source>{n} for the test</source>
        <translation>{n} para o teste</translation>
    </message>
    <message>
        <source>{n} for training</source>
        <translation>{n} para treino</translation>
    </message>
    <message>
        <source>{n} for validation</source>
        <translation>{n} para validação</translation>
    </message>
    <message>
        <source>{n} images</source>
        <translation>{n} imagens</translation>
    </message>
    <message>
        <source>{n} images/s</source>
        <translation>{n} imagens/s</translation>
    </message>
    <message>
        <source>{n} of {total} images are left.</source>
        <translation>Restam {n} de {total} imagens.</translation>
    </message>
    <message>
        <source>{n} of {total} pairs are left.</source>
        <translation>Restam {n} de {total} pares.</translation>
    </message>
    <message>
        <source>{n} of {total} selected</source>
        <translation>{n} de {total} selecionadas</translation>
    </message>
    <message>
        <source>{n} places</source>
        <translation>{n} lugares</translation>
    </message>
    <message>
        <source>{n} serious</source>
        <translation>{n} graves</translation>
    </message>
    <message>
        <source>{n} suggestions</source>
        <translation>{n} sugestões</translation>
    </message>
    <message>
        <source>{n} warnings</source>
        <translation>{n} alertas</translation>
    </message>
    <message>
        <source>{shape}, about {size}</source>
        <translation>{shape}, cerca de {size}</translation>
    </message>
    <message>
        <source>{shape}, at most about {size}</source>
        <translation>{shape}, no máximo cerca de {size}</translation>
    </message>
    <message>
        <source>{split} {n}, as before</source>
        <translation>{split} {n}, como antes</translation>
    </message>
    <message>
        <source>{split} {old} → {new} ({change})</source>
        <translation>{split} {old} → {new} ({change})</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>faltam {time}</translation>
    </message>
    <message>
        <source>{what}: {images} excluded</source>
        <translation>{what}: {images} deixadas de fora</translation>
    </message>
    <message>
        <source>{what}: {images} moved</source>
        <translation>{what}: mudança de {images}</translation>
    </message>
    <message>
        <source>{what}: {images} relabeled</source>
        <translation>{what}: reclassificação de {images}</translation>
    </message>
    <message>
        <source>{what}: {images} relabeled to “{name}”</source>
        <translation>{what}: reclassificação de {images} para “{name}”</translation>
    </message>
    <message>
        <source>{when}, in {time}</source>
        <translation>{when}, em {time}</translation>
    </message>
    <message>
        <source>“{name}” cannot be imported: unsupported file type.</source>
        <translation>“{name}” não pode ser importado: tipo de arquivo não suportado.</translation>
    </message>
    <message>
        <source>“{name}” has no matching images</source>
        <translation>“{name}” não tem imagens correspondentes</translation>
    </message>
    <message>
        <source>“{old}” was renamed to “{new}”</source>
        <translation>“{old}” foi renomeado para “{new}”</translation>
    </message>
</context>
<context>
    <name>describe</name>
    <message>
        <source> and </source>
        <translation> e </translation>
    </message>
    <message>
        <source>Audit {name}</source>
        <translation>Auditar {name}</translation>
    </message>
    <message>
        <source>Baseline of {name}</source>
        <translation>Linha de base de {name}</translation>
    </message>
    <message>
        <source>Benchmark of operations {name}</source>
        <translation>Benchmark de operações de {name}</translation>
    </message>
    <message>
        <source>Benchmark of predictions {name}</source>
        <translation>Benchmark de previsões de {name}</translation>
    </message>
    <message>
        <source>Benchmark {name}</source>
        <translation>Benchmark de {name}</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>Epoch {epoch} of {epochs}</source>
        <translation>Época {epoch} de {epochs}</translation>
    </message>
    <message>
        <source>Export {name}</source>
        <translation>Exportar {name}</translation>
    </message>
    <message>
        <source>First epoch</source>
        <translation>Primeira época</translation>
    </message>
    <message>
        <source>GPU {numbers}</source>
        <translation>GPU {numbers}</translation>
    </message>
    <message>
        <source>Import {name}</source>
        <translation>Importar {name}</translation>
    </message>
    <message>
        <source>Map of {name}</source>
        <translation>Mapa de {name}</translation>
    </message>
    <message>
        <source>Measure a training on {name}</source>
        <translation>Medir um treino em {name}</translation>
    </message>
    <message>
        <source>Measure {name}</source>
        <translation>Medir {name}</translation>
    </message>
    <message>
        <source>On hold until you release it</source>
        <translation>Retido até você liberá-lo</translation>
    </message>
    <message>
        <source>Pausing…</source>
        <translation>Pausando…</translation>
    </message>
    <message>
        <source>Queued on another computer; waits until you release it</source>
        <translation>Colocado na fila em outro computador; espera até que você o libere</translation>
    </message>
    <message>
        <source>Ray cluster</source>
        <translation>Cluster Ray</translation>
    </message>
    <message>
        <source>Starting {library}…</source>
        <translation>Iniciando {library}…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Iniciando…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Parando…</translation>
    </message>
    <message>
        <source>Sweep {name}</source>
        <translation>Varredura de {name}</translation>
    </message>
    <message>
        <source>Train {name}</source>
        <translation>Treinar {name}</translation>
    </message>
    <message>
        <source>Waits because the queue is paused</source>
        <translation>Espera porque a fila está pausada</translation>
    </message>
    <message>
        <source>Waits for its turn</source>
        <translation>Aguarda a sua vez</translation>
    </message>
    <message>
        <source>Waits for its turn after {jobs}</source>
        <translation>Aguarda a sua vez, depois de {jobs}</translation>
    </message>
    <message>
        <source>Waits for {devices}, in use by {jobs}</source>
        <translation>Aguarda {devices}, em uso por {jobs}</translation>
    </message>
    <message>
        <source>Waits for {devices}, reserved for {jobs}</source>
        <translation>Aguarda {devices}, com reserva para {jobs}</translation>
    </message>
    <message>
        <source>Waits for {devices}, which this machine does not have</source>
        <translation>Aguarda {devices}, que esta máquina não tem</translation>
    </message>
    <message>
        <source>Waits until {jobs} is completed</source>
        <translation>Aguarda a conclusão de {jobs}</translation>
    </message>
    <message>
        <source>Waits: unknown device {devices}</source>
        <translation>Aguarda: dispositivo {devices} desconhecido</translation>
    </message>
    <message>
        <source>a GPU</source>
        <translation>uma GPU</translation>
    </message>
    <message>
        <source>loss {value}</source>
        <translation>perda {value}</translation>
    </message>
    <message>
        <source>still training</source>
        <translation>ainda treinando</translation>
    </message>
    <message>
        <source>the CPU</source>
        <translation>a CPU</translation>
    </message>
    <message>
        <source>{count} GPUs</source>
        <translation>{count} GPUs</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} de {total}</translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation>“{name}”</translation>
    </message>
</context>
<context>
    <name>designer</name>
    <message>
        <source>Actual size</source>
        <translation>Tamanho real</translation>
    </message>
    <message>
        <source>Add a layer</source>
        <translation>Adicionar uma camada</translation>
    </message>
    <message>
        <source>Add a note</source>
        <translation>Adicionar uma nota</translation>
    </message>
    <message>
        <source>Arrange from left to right</source>
        <translation>Organizar da esquerda para a direita</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Recortar</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Excluir</translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation>Descartar alterações</translation>
    </message>
    <message>
        <source>Dissolve the block</source>
        <translation>Desfazer o bloco</translation>
    </message>
    <message>
        <source>Drawing (SVG)…</source>
        <translation>Desenho (SVG)…</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplicar</translation>
    </message>
    <message>
        <source>Find a layer</source>
        <translation>Encontrar uma camada</translation>
    </message>
    <message>
        <source>Fold all blocks</source>
        <translation>Recolher todos os blocos</translation>
    </message>
    <message>
        <source>Freeze all up to here</source>
        <translation>Congelar tudo até aqui</translation>
    </message>
    <message>
        <source>Freeze or unfreeze</source>
        <translation>Congelar ou descongelar</translation>
    </message>
    <message>
        <source>Keras code (Python)…</source>
        <translation>Código Keras (Python)…</translation>
    </message>
    <message>
        <source>Lay out downwards</source>
        <translation>Organizar para baixo</translation>
    </message>
    <message>
        <source>Make a block</source>
        <translation>Criar um bloco</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Mover</translation>
    </message>
    <message>
        <source>Network (JSON)…</source>
        <translation>Rede (JSON)…</translation>
    </message>
    <message>
        <source>New drawing</source>
        <translation>Novo desenho</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Abrir um arquivo…</translation>
    </message>
    <message>
        <source>Open a network…</source>
        <translation>Abrir uma rede…</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Colar</translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation>Imagem (PNG)…</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Refazer</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Salvar</translation>
    </message>
    <message>
        <source>Save under another name</source>
        <translation>Salvar com outro nome</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Selecionar tudo</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Mostrar tudo</translation>
    </message>
    <message>
        <source>Show the layers of backbones</source>
        <translation>Mostrar as camadas dos backbones</translation>
    </message>
    <message>
        <source>Train this</source>
        <translation>Treinar esta</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>Unfold all blocks</source>
        <translation>Expandir todos os blocos</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Ampliar</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Reduzir</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>"2, 1, 3" makes columns of rows.</source>
        <translation>"2, 1, 3" transforma linhas em colunas.</translation>
    </message>
    <message>
        <source>"28, -1" makes a sequence of 28 rows of an image of 28 rows.</source>
        <translation>"28, -1" faz uma sequência de 28 linhas de uma imagem de 28 linhas.</translation>
    </message>
    <message>
        <source>"{address}" is not an address of a Ray cluster.</source>
        <translation>"{address}" não é um endereço de um cluster Ray.</translation>
    </message>
    <message>
        <source>"{address}" is not an address.</source>
        <translation>"{address}" não é um endereço.</translation>
    </message>
    <message>
        <source>"{device}" is not a single device.</source>
        <translation>"{device}" não é um único dispositivo.</translation>
    </message>
    <message>
        <source>"{file}" is a Keras model, not the description of a network.</source>
        <translation>"{file}" é um modelo Keras, não a descrição de uma rede.</translation>
    </message>
    <message>
        <source>"{file}" is not inside {folder}, so it is not copied.</source>
        <translation>"{file}" não está em {folder}; por isso não é copiado.</translation>
    </message>
    <message>
        <source>"{fix}" does not fix the finding "{finding}".</source>
        <translation>"{fix}" não é uma correção para o achado "{finding}".</translation>
    </message>
    <message>
        <source>"{layer}" belongs to the head of {backbone}, which is always trained.</source>
        <translation>"{layer}" pertence à cabeça de {backbone}, que é sempre treinada.</translation>
    </message>
    <message>
        <source>"{layer}" is a {kind}, which is not a Keras layer.</source>
        <translation>"{layer}" é um {kind}, que não é uma das camadas do Keras.</translation>
    </message>
    <message>
        <source>"{layer}" is not a backbone, so it has no inner layers to use.</source>
        <translation>"{layer}" não é um backbone e, por isso, não tem camadas internas para usar.</translation>
    </message>
    <message>
        <source>"{layer}" needs {shapes}.</source>
        <translation>"{layer}" precisa de {shapes}.</translation>
    </message>
    <message>
        <source>"{name}" cannot be moved before itself.</source>
        <translation>"{name}" não pode ser movido para antes de si mesmo.</translation>
    </message>
    <message>
        <source>"{name}" does not exist: "{group}" has no fields.</source>
        <translation>"{name}" não existe: "{group}" não tem campos.</translation>
    </message>
    <message>
        <source>"{name}" is taken.</source>
        <translation>"{name}" já é usado.</translation>
    </message>
    <message>
        <source>"{option}" does not apply to a range.</source>
        <translation>"{option}" não se aplica a um intervalo.</translation>
    </message>
    <message>
        <source>"{path}" could not be written.</source>
        <translation>"{path}" não pôde ser gravado.</translation>
    </message>
    <message>
        <source>"{text}" contains a GPU twice.</source>
        <translation>"{text}" indica uma GPU duas vezes.</translation>
    </message>
    <message>
        <source>"{text}" is not a device. Valid forms: {forms}.</source>
        <translation>"{text}" não é um dispositivo. Formas válidas: {forms}.</translation>
    </message>
    <message>
        <source>"{text}" must say how many GPUs: one number from 1 to {most}, as in gpus:2.</source>
        <translation>"{text}" deve informar quantas GPUs: um número de 1 a {most}, como em gpus:2.</translation>
    </message>
    <message>
        <source>"{text}" must say how many logical devices of the CPU: one number from 1 to {most}, as in cpu:2.</source>
        <translation>"{text}" deve informar quantos dispositivos lógicos da CPU: um número de 1 a {most}, como em cpu:2.</translation>
    </message>
    <message>
        <source>"{text}": GPUs are numbered from 0 to {last}.</source>
        <translation>"{text}": as GPUs são numeradas de 0 a {last}.</translation>
    </message>
    <message>
        <source>"{value}" is not a valid choice.</source>
        <translation>"{value}" não é uma opção válida.</translation>
    </message>
    <message>
        <source>"{weights}" contains infinite or undefined values</source>
        <translation>"{weights}" contém valores infinitos ou indefinidos</translation>
    </message>
    <message>
        <source>"{weights}" contains {dtype}, not real numbers</source>
        <translation>"{weights}" contém {dtype}, não números reais</translation>
    </message>
    <message>
        <source>"{weights}" is damaged</source>
        <translation>"{weights}" está danificado</translation>
    </message>
    <message>
        <source># label:color_rgb:parts:actions</source>
        <translation># label:color_rgb:parts:actions</translation>
    </message>
    <message>
        <source>% of the area</source>
        <translation>% da área</translation>
    </message>
    <message>
        <source>% of the side</source>
        <translation>% do lado</translation>
    </message>
    <message>
        <source>-0.5 is the usual. 0 for a rate that only the schedule changes.</source>
        <translation>-0,5 é o usual. 0 para uma taxa que só o agendamento muda.</translation>
    </message>
    <message>
        <source>.tar</source>
        <translation>.tar</translation>
    </message>
    <message>
        <source>.tar.bz2</source>
        <translation>.tar.bz2</translation>
    </message>
    <message>
        <source>.tar.gz</source>
        <translation>.tar.gz</translation>
    </message>
    <message>
        <source>.zip</source>
        <translation>.zip</translation>
    </message>
    <message>
        <source>0 or 180°</source>
        <translation>0 ou 180°</translation>
    </message>
    <message>
        <source>0 to 1 % is usual; the last epochs then make only small changes.</source>
        <translation>0 a 1 % é o usual; as últimas épocas fazem então só mudanças pequenas.</translation>
    </message>
    <message>
        <source>0 to 255; the model scales them itself</source>
        <translation>0 a 255; o próprio modelo os escala</translation>
    </message>
    <message>
        <source>0, 90 or 270°</source>
        <translation>0, 90 ou 270°</translation>
    </message>
    <message>
        <source>0.0001 for SGD and 0.01 for AdamW are common. Increase it when training is much better than validation.</source>
        <translation>0,0001 para SGD e 0,01 para AdamW são comuns. Aumente quando o treino for muito melhor que a validação.</translation>
    </message>
    <message>
        <source>0.01 to 0.3 is usual; values above 0 prevent dead neurons.</source>
        <translation>0,01 a 0,3 é o usual; valores acima de 0 evitam neurônios mortos.</translation>
    </message>
    <message>
        <source>0.1 is the classic; 0.5 for more and smaller steps.</source>
        <translation>0,1 é o clássico; 0,5 para degraus menores e em maior número.</translation>
    </message>
    <message>
        <source>0.1 is the classic; 0.5 with many steps.</source>
        <translation>0,1 é o clássico; 0,5 com muitos degraus.</translation>
    </message>
    <message>
        <source>0.1 reduces overconfidence, also when some labels are wrong.</source>
        <translation>0,1 reduz o excesso de confiança, também quando alguns rótulos estão errados.</translation>
    </message>
    <message>
        <source>0.1 to 0.3 reduces overfitting, but slows training on a GPU considerably.</source>
        <translation>0,1 a 0,3 reduz o sobreajuste, mas torna o treino em GPU bem mais lento.</translation>
    </message>
    <message>
        <source>0.1 to 0.5 reduces overfitting.</source>
        <translation>0,1 a 0,5 reduz o sobreajuste.</translation>
    </message>
    <message>
        <source>0.1 to 0.5; values close to 1 are gentler and need more epochs.</source>
        <translation>0,1 a 0,5; valores próximos de 1 são mais suaves e precisam de mais épocas.</translation>
    </message>
    <message>
        <source>0.2 is usual; larger values blend more evenly. Training accuracy appears low.</source>
        <translation>O usual é 0.2; valores maiores combinam de forma mais equilibrada. A acurácia de treino parece baixa.</translation>
    </message>
    <message>
        <source>0.2 to 0.5 with few images; 0 with very many.</source>
        <translation>0,2 a 0,5 com poucas imagens; 0 com muitíssimas.</translation>
    </message>
    <message>
        <source>0.5 or 1 if nothing else keeps the loss finite. Changes the direction of the step.</source>
        <translation>0,5 ou 1 se nada mais mantém a perda finita. Muda a direção do passo.</translation>
    </message>
    <message>
        <source>0.5 when a class covers few pixels: in the Dice loss, small classes count as much as large ones.</source>
        <translation>0,5 quando uma classe cobre poucos pixels: na perda Dice, classes pequenas contam tanto quanto as grandes.</translation>
    </message>
    <message>
        <source>0.9 converges faster along narrow valleys of the loss.</source>
        <translation>0,9 converge mais rápido ao longo de vales estreitos da perda.</translation>
    </message>
    <message>
        <source>0.95 ends at 0.6 % of the initial rate, 0.98 at 13 %.</source>
        <translation>0,95 termina em 0,6 % da taxa inicial; 0,98, em 13 %.</translation>
    </message>
    <message>
        <source>0.95 to 0.99 if the loss jumps late in training: large gradients take effect sooner.</source>
        <translation>0,95 a 0,99 se a perda salta no fim do treino: gradientes grandes têm efeito mais cedo.</translation>
    </message>
    <message>
        <source>1</source>
        <translation>1</translation>
    </message>
    <message>
        <source>1 decreases as one divided by time, 0.5 more slowly, 0 not at all.</source>
        <translation>1 diminui como um dividido pelo tempo, 0,5 mais devagar, 0 não diminui.</translation>
    </message>
    <message>
        <source>1 is common if the loss jumps. Keeps the direction of the step.</source>
        <translation>1 é comum se a perda salta. Mantém a direção do passo.</translation>
    </message>
    <message>
        <source>1 is enough for most tasks; 0 gives a small network that overfits less.</source>
        <translation>1 basta para a maioria das tarefas; 0 dá uma rede pequena que sobreajusta menos.</translation>
    </message>
    <message>
        <source>1 is for interactive predictions; large batches are for whole folders.</source>
        <translation>1 serve para previsões interativas; lotes grandes, para pastas inteiras.</translation>
    </message>
    <message>
        <source>1 is linear; higher powers decrease earlier.</source>
        <translation>1 é linear; potências maiores diminuem mais cedo.</translation>
    </message>
    <message>
        <source>1 is usual. Training accuracy appears low.</source>
        <translation>O usual é 1. A acurácia de treino parece baixa.</translation>
    </message>
    <message>
        <source>1 is usual; a 1x1 convolution after it mixes the channels and sets their number.</source>
        <translation>1 é o usual; uma convolução 1x1 depois dela mistura os canais e define o número deles.</translation>
    </message>
    <message>
        <source>1 or 2 keep the rate high for longer; 3 and more reduce it early.</source>
        <translation>1 ou 2 mantêm a taxa alta por mais tempo; 3 ou mais a reduzem cedo.</translation>
    </message>
    <message>
        <source>1,000 is enough for two digits; 0 saves seconds on large sets.</source>
        <translation>1.000 bastam para dois dígitos; 0 poupa segundos em conjuntos grandes.</translation>
    </message>
    <message>
        <source>1,797 real handwritten digits, 0 to 9, from scikit-learn.</source>
        <translation>1.797 dígitos manuscritos reais, 0 a 9, do scikit-learn.</translation>
    </message>
    <message>
        <source>10 for a pretrained backbone with a new head; 1 if everything is new.</source>
        <translation>10 para um backbone pré-treinado com cabeça nova; 1 se tudo é novo.</translation>
    </message>
    <message>
        <source>10 to 15° suits most photographs; use more if objects have any orientation. Too much turns a 6 into a 9.</source>
        <translation>De 10 a 15° servem para a maioria das fotografias; use mais se os objetos têm qualquer orientação. Demais transforma um 6 em um 9.</translation>
    </message>
    <message>
        <source>10 to 20 % gives an unbiased final result.</source>
        <translation>De 10 a 20 % dão um resultado final sem viés.</translation>
    </message>
    <message>
        <source>10 to 20 % gives an unbiased final result. Use 0 only if you have test images elsewhere.</source>
        <translation>De 10 a 20 % dão um resultado final sem viés. Use 0 apenas se houver imagens de teste em outro lugar.</translation>
    </message>
    <message>
        <source>10 to 20 % is usual. Too few images make the curve noisy; too many leave less training data.</source>
        <translation>O usual é de 10 a 20 %. Poucas imagens deixam a curva ruidosa; muitas deixam menos dados de treino.</translation>
    </message>
    <message>
        <source>128 as published; more for many classes.</source>
        <translation>128, como publicado; mais para muitas classes.</translation>
    </message>
    <message>
        <source>16 for small gray images, 32 to 64 for photographs.</source>
        <translation>16 para imagens pequenas em cinza, 32 a 64 para fotografias.</translation>
    </message>
    <message>
        <source>16 is fast on a CPU; 32 learns finer differences at four times the cost.</source>
        <translation>16 é rápido em uma CPU; 32 aprende diferenças mais finas a um custo quatro vezes maior.</translation>
    </message>
    <message>
        <source>1e-4 if 16-bit numbers overflow; up to 0.1 if steps are erratic.</source>
        <translation>1e-4 se números de 16 bits estouram; até 0,1 se os passos são erráticos.</translation>
    </message>
    <message>
        <source>1x1</source>
        <translation>1x1</translation>
    </message>
    <message>
        <source>1x1 after pooling</source>
        <translation>1x1 após pooling</translation>
    </message>
    <message>
        <source>1x1 before 3x3</source>
        <translation>1x1 antes de 3x3</translation>
    </message>
    <message>
        <source>1x1 before 5x5</source>
        <translation>1x1 antes de 5x5</translation>
    </message>
    <message>
        <source>2 doubles each round; 1 makes all rounds equal.</source>
        <translation>2 dobra cada rodada; 1 deixa todas iguais.</translation>
    </message>
    <message>
        <source>2 halves the image, which makes what follows four times cheaper.</source>
        <translation>2 reduz a imagem à metade, o que torna o que segue quatro vezes mais barato.</translation>
    </message>
    <message>
        <source>2 halves weights and work. As many groups as channels is a depthwise convolution.</source>
        <translation>2 reduz pesos e trabalho à metade. Tantos grupos quantos canais é uma convolução em profundidade.</translation>
    </message>
    <message>
        <source>2 in the first block of a stage makes the following layers four times cheaper.</source>
        <translation>2 no primeiro bloco de um estágio torna as camadas seguintes quatro vezes mais baratas.</translation>
    </message>
    <message>
        <source>2 is common if most images are easy.</source>
        <translation>2 é comum se a maioria das imagens é fácil.</translation>
    </message>
    <message>
        <source>2 makes everything after it four times cheaper and keeps less detail.</source>
        <translation>2 torna tudo depois quatro vezes mais barato e mantém menos detalhes.</translation>
    </message>
    <message>
        <source>2 undoes one pooling of 2.</source>
        <translation>2 desfaz um pooling de 2.</translation>
    </message>
    <message>
        <source>20 % is usual.</source>
        <translation>20 % é o usual.</translation>
    </message>
    <message>
        <source>256 as published; 64 or 128 are enough for few classes, and faster.</source>
        <translation>256, como publicado; 64 ou 128 bastam para poucas classes e são mais rápidos.</translation>
    </message>
    <message>
        <source>3 is usual; two layers of 3 see as far as one of 5 and cost less. Larger ones pay in the first layer.</source>
        <translation>3 é o usual; duas camadas de 3 veem tão longe quanto uma de 5 e custam menos. Maiores compensam na primeira camada.</translation>
    </message>
    <message>
        <source>3 is usual; two of 3 see as far as one of 5 and cost less.</source>
        <translation>3 é o usual; duas de 3 veem tão longe quanto uma de 5 e custam menos.</translation>
    </message>
    <message>
        <source>3 to 5 values are enough: every field multiplies the trials of a grid.</source>
        <translation>De 3 a 5 valores bastam: cada campo multiplica as tentativas de uma grade.</translation>
    </message>
    <message>
        <source>3 to 5, less than the patience of early stopping. A lower rate often brings further improvement.</source>
        <translation>3 a 5, menos que a paciência da parada antecipada. Uma taxa menor muitas vezes ainda melhora o resultado.</translation>
    </message>
    <message>
        <source>3,000 pictures of three real digits each, with the amount of ink and the sum of the digits.</source>
        <translation>3.000 imagens com três dígitos reais cada, com a quantidade de tinta e a soma dos dígitos.</translation>
    </message>
    <message>
        <source>3,000 pictures of three real digits each; their labels are the digits that occur.</source>
        <translation>3.000 imagens com três dígitos reais cada; seus rótulos são os dígitos que aparecem.</translation>
    </message>
    <message>
        <source>30 % is usual; less when there are many epochs.</source>
        <translation>30 % é o usual; menos quando há muitas épocas.</translation>
    </message>
    <message>
        <source>32 bits</source>
        <translation>32 bits</translation>
    </message>
    <message>
        <source>32 is usual; as many groups as channels normalize each channel separately.</source>
        <translation>32 é o usual; com tantos grupos quantos canais, cada canal é normalizado separadamente.</translation>
    </message>
    <message>
        <source>33 % gives two reductions; use less for more of them.</source>
        <translation>33 % dá duas reduções; use menos para obter mais.</translation>
    </message>
    <message>
        <source>3x3</source>
        <translation>3x3</translation>
    </message>
    <message>
        <source>4 to 10 %: low enough that the first steps cannot jump.</source>
        <translation>4 a 10 %: baixa o bastante para que os primeiros passos não saltem.</translation>
    </message>
    <message>
        <source>5 is enough; fewer are faster and less exact.</source>
        <translation>5 bastam; menos são mais rápidas e menos exatas.</translation>
    </message>
    <message>
        <source>5 or 10 is usual. Each image is validated once; each fold needs a separate run.</source>
        <translation>O usual é 5 ou 10. Cada imagem é validada uma vez; cada parte exige um treino separado.</translation>
    </message>
    <message>
        <source>5 to 10 % when the loss jumps at the start: with large batches, large networks, or pretrained weights.</source>
        <translation>5 a 10 % quando a perda salta no início: com lotes grandes, redes grandes ou pesos pré-treinados.</translation>
    </message>
    <message>
        <source>5x5</source>
        <translation>5x5</translation>
    </message>
    <message>
        <source>6 keeps the values in the range of small number formats, as in MobileNet.</source>
        <translation>6 mantém os valores no intervalo de formatos numéricos pequenos, como na MobileNet.</translation>
    </message>
    <message>
        <source>60,000 small photographs of 10 things; 170 MB are downloaded.</source>
        <translation>60.000 pequenas fotografias de 10 coisas; são baixados 170 MB.</translation>
    </message>
    <message>
        <source>60,000 small photographs of 100 things; 169 MB are downloaded.</source>
        <translation>60.000 pequenas fotografias de 100 coisas; são baixados 169 MB.</translation>
    </message>
    <message>
        <source>70,000 handwritten digits of 28x28; 12 MB are downloaded.</source>
        <translation>70.000 dígitos manuscritos de 28x28; são baixados 12 MB.</translation>
    </message>
    <message>
        <source>70,000 small pictures of clothes; 31 MB are downloaded.</source>
        <translation>70.000 pequenas imagens de roupas; são baixados 31 MB.</translation>
    </message>
    <message>
        <source>8-bit quantization is calibrated on training images, but there are none.</source>
        <translation>A quantização de 8 bits é calibrada com imagens de treino, mas não há nenhuma.</translation>
    </message>
    <message>
        <source>900 drawn circles, squares, stars and other shapes, for a quick try.</source>
        <translation>900 círculos, quadrados, estrelas e outras formas desenhados, para um teste rápido.</translation>
    </message>
    <message>
        <source>900 images of one to three drawn shapes with the class of each pixel.</source>
        <translation>900 imagens de uma a três formas desenhadas com a classe de cada pixel.</translation>
    </message>
    <message>
        <source>A .keras file; opens in any Keras 3, can be trained further, and Studio reads it.</source>
        <translation>Um arquivo .keras; abre em qualquer Keras 3, pode continuar a ser treinado, e o Studio o lê.</translation>
    </message>
    <message>
        <source>A .weights.h5 file and the network as plain Keras code, to read and change.</source>
        <translation>Um arquivo .weights.h5 e a rede como código Keras simples, para ler e mudar.</translation>
    </message>
    <message>
        <source>A 1x1 convolution to {squeezed} of {channels} channels before {layer} leaves {fewer} of its {count} weights.</source>
        <translation>Uma convolução 1x1 para {squeezed} de {channels} canais antes de {layer} deixa {fewer} dos seus {count} pesos.</translation>
    </message>
    <message>
        <source>A 3x1 window followed by a 1x3 window is cheaper than 3x3.</source>
        <translation>Uma janela 3x1 seguida de uma 1x3 é mais barata que 3x3.</translation>
    </message>
    <message>
        <source>A U-Net with batch normalization and a quarter of the channels: fast on a CPU, and enough for most tasks with few classes.</source>
        <translation>Uma U-Net com batch normalization e um quarto dos canais: rápida em uma CPU e suficiente para a maioria das tarefas com poucas classes.</translation>
    </message>
    <message>
        <source>A baseline needs two training images of at least two classes, labels or values.</source>
        <translation>Uma linha de base precisa de duas imagens de treino de pelo menos duas classes, rótulos ou valores.</translation>
    </message>
    <message>
        <source>A baseline would show how well the features fit.</source>
        <translation>Uma linha de base mostraria se as características são adequadas.</translation>
    </message>
    <message>
        <source>A classifier needs training images of two classes; there are {count}.</source>
        <translation>Um classificador precisa de imagens de treino de duas classes; há {count}.</translation>
    </message>
    <message>
        <source>A constant rate.</source>
        <translation>Uma taxa constante.</translation>
    </message>
    <message>
        <source>A decreasing rate usually gives better results than a constant one; cosine is a good choice.</source>
        <translation>Uma taxa decrescente costuma dar resultados melhores que uma constante; cosseno é uma boa escolha.</translation>
    </message>
    <message>
        <source>A depthwise convolution and a 1x1 convolution in one; much cheaper than a plain one.</source>
        <translation>Uma convolução em profundidade e uma convolução 1x1 em uma só; bem mais barata que uma comum.</translation>
    </message>
    <message>
        <source>A few hundred stabilize the start of large networks; small ones need none.</source>
        <translation>Algumas centenas estabilizam o início de redes grandes; as pequenas não precisam.</translation>
    </message>
    <message>
        <source>A folder for TensorFlow and TensorFlow Serving.</source>
        <translation>Uma pasta para TensorFlow e TensorFlow Serving.</translation>
    </message>
    <message>
        <source>A folder of class folders, an archive, a list, arrays, a dataset, or an address.</source>
        <translation>Uma pasta de pastas de classes, um pacote compactado, uma lista, arrays, um conjunto de dados ou um endereço.</translation>
    </message>
    <message>
        <source>A grid has no randomness</source>
        <translation>Uma grade não tem aleatoriedade</translation>
    </message>
    <message>
        <source>A grid tries all combinations. TPE learns from earlier trials and needs far fewer if many fields vary.</source>
        <translation>Uma grade testa todas as combinações. O TPE aprende com as tentativas anteriores e precisa de muito menos se muitos campos variam.</translation>
    </message>
    <message>
        <source>A hundred epochs with averaged weights and label smoothing; takes long.</source>
        <translation>Cem épocas com média dos pesos e suavização de rótulos; demora.</translation>
    </message>
    <message>
        <source>A killed run loses at most this much training. Saving takes some time with large networks.</source>
        <translation>Um treino interrompido à força perde no máximo este tempo. Salvar leva algum tempo com redes grandes.</translation>
    </message>
    <message>
        <source>A label is outside 0 to {last}.</source>
        <translation>Um rótulo está fora de 0 a {last}.</translation>
    </message>
    <message>
        <source>A larger cache avoids recomputing; the least recently used features are deleted first.</source>
        <translation>Um cache maior evita recalcular; as características usadas há mais tempo são excluídas primeiro.</translation>
    </message>
    <message>
        <source>A layer cannot be called "{name}".</source>
        <translation>Uma camada não pode se chamar "{name}".</translation>
    </message>
    <message>
        <source>A leaky ReLU with a learned slope per channel.</source>
        <translation>Uma leaky ReLU com uma inclinação aprendida por canal.</translation>
    </message>
    <message>
        <source>A learning rate must be between 0 and {highest:g}; received {learning_rate:g}.</source>
        <translation>A taxa de aprendizado deve estar entre 0 e {highest:g}; recebido {learning_rate:g}.</translation>
    </message>
    <message>
        <source>A linear head already reaches at least {accuracy}, so training more layers can add little.</source>
        <translation>Uma cabeça linear já alcança pelo menos {accuracy}; treinar mais camadas traz pouco ganho.</translation>
    </message>
    <message>
        <source>A linear model on {features} reaches {score} on {measured_images:,} images of the {split} split ({low} to {high}).</source>
        <translation>Um modelo linear sobre {features} alcança {score} em {measured_images:,} imagens da divisão de {split} ({low} a {high}).</translation>
    </message>
    <message>
        <source>A linear model reaches {score} on the features and {pixels_score} on tiny pictures; chance is {chance}.</source>
        <translation>Um modelo linear alcança {score} com as características e {pixels_score} com imagens minúsculas; o acaso alcança {chance}.</translation>
    </message>
    <message>
        <source>A map as large as the image with one score per class and pixel; the scores of a pixel sum to 1.</source>
        <translation>Um mapa do tamanho da imagem com uma pontuação por classe e pixel; as pontuações de um pixel somam 1.</translation>
    </message>
    <message>
        <source>A map needs at least {fewest} images, but there are only {count}.</source>
        <translation>Um mapa precisa de pelo menos {fewest} imagens, mas há apenas {count}.</translation>
    </message>
    <message>
        <source>A mask has the same name as its image, for example images/a.jpg and masks/a.png.</source>
        <translation>Uma máscara tem o mesmo nome que a sua imagem, por exemplo images/a.jpg e masks/a.png.</translation>
    </message>
    <message>
        <source>A metric of one or two images is not meaningful for a class.</source>
        <translation>Uma métrica de uma ou duas imagens não é significativa para uma classe.</translation>
    </message>
    <message>
        <source>A modern network for images of 48 to 128 pixels: four residual blocks.</source>
        <translation>Uma rede moderna para imagens de 48 a 128 pixels: quatro blocos residuais.</translation>
    </message>
    <message>
        <source>A modern network for small images: three residual blocks, minutes on a CPU.</source>
        <translation>Uma rede moderna para imagens pequenas: três blocos residuais, minutos em uma CPU.</translation>
    </message>
    <message>
        <source>A newer Studio may be able to read it. Delete the file to remove this message.</source>
        <translation>Um Studio mais novo talvez consiga lê-lo. Exclua o arquivo para remover esta mensagem.</translation>
    </message>
    <message>
        <source>A part of the model is always called with training=False, so its batch normalization is frozen.</source>
        <translation>Uma parte do modelo é sempre chamada com training=False; por isso sua normalização em lote fica congelada.</translation>
    </message>
    <message>
        <source>A published network without its head; outputs a grid of features.</source>
        <translation>Uma rede publicada sem a cabeça; produz uma grade de características.</translation>
    </message>
    <message>
        <source>A quantity that was never measured cannot be added to the images.</source>
        <translation>Uma grandeza que nunca foi medida não pode ser adicionada às imagens.</translation>
    </message>
    <message>
        <source>A quarter of the filters is usual, so that the expensive window sees few channels.</source>
        <translation>Um quarto dos filtros é o usual, para que a janela cara receba poucos canais.</translation>
    </message>
    <message>
        <source>A range is LOW..HIGH, and after it :log, :linear, :step=S or :count=N.</source>
        <translation>Um intervalo é MENOR..MAIOR e, depois, :log, :linear, :step=S ou :count=N.</translation>
    </message>
    <message>
        <source>A recurrent layer on top of this one needs it.</source>
        <translation>Uma camada recorrente em cima desta precisa disso.</translation>
    </message>
    <message>
        <source>A recurrent layer that learns what to remember and what to forget.</source>
        <translation>Uma camada recorrente que aprende o que lembrar e o que esquecer.</translation>
    </message>
    <message>
        <source>A recurrent layer that reads a sequence forwards and backwards.</source>
        <translation>Uma camada recorrente que lê uma sequência para a frente e para trás.</translation>
    </message>
    <message>
        <source>A reflection has no hard edge that a network could learn as a feature.</source>
        <translation>Uma reflexão não tem borda nítida que a rede pudesse aprender como característica.</translation>
    </message>
    <message>
        <source>A reflection of the image</source>
        <translation>Um reflexo da imagem</translation>
    </message>
    <message>
        <source>A table ({columns} columns, {rows} rows) contains no masks.</source>
        <translation>Uma tabela ({columns} colunas, {rows} linhas) não contém máscaras.</translation>
    </message>
    <message>
        <source>A table needs a column of images, and one called label.</source>
        <translation>Uma tabela precisa de uma coluna de imagens e de uma chamada label.</translation>
    </message>
    <message>
        <source>A tag or group of {number} characters.</source>
        <translation>Uma etiqueta ou um grupo de {number} caracteres.</translation>
    </message>
    <message>
        <source>A tall and a flat window</source>
        <translation>Uma janela alta e uma larga</translation>
    </message>
    <message>
        <source>A temperature is fitted on validation images, and there are none.</source>
        <translation>Uma temperatura é ajustada em imagens de validação, e não há nenhuma.</translation>
    </message>
    <message>
        <source>A temperature is fitted on validation images, which are the evaluated ones here.</source>
        <translation>A temperatura é ajustada em imagens de validação, que são as avaliadas aqui.</translation>
    </message>
    <message>
        <source>A tensor of the model has no source.</source>
        <translation>Um tensor do modelo não tem origem.</translation>
    </message>
    <message>
        <source>AMSGrad</source>
        <translation>AMSGrad</translation>
    </message>
    <message>
        <source>Absolute path of a .keras or .h5 file; empty for the model of a run.</source>
        <translation>Caminho absoluto de um arquivo .keras ou .h5; vazio para o modelo de um treino.</translation>
    </message>
    <message>
        <source>Accumulate fewer batches, or train for longer.</source>
        <translation>Acumule menos lotes, ou treine por mais tempo.</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>Acurácia</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Ativação</translation>
    </message>
    <message>
        <source>Adadelta</source>
        <translation>Adadelta</translation>
    </message>
    <message>
        <source>Adafactor</source>
        <translation>Adafactor</translation>
    </message>
    <message>
        <source>Adagrad</source>
        <translation>Adagrad</translation>
    </message>
    <message>
        <source>Adam</source>
        <translation>Adam</translation>
    </message>
    <message>
        <source>Adam for embeddings</source>
        <translation>Adam para embeddings</translation>
    </message>
    <message>
        <source>Adam for layers</source>
        <translation>Adam para camadas</translation>
    </message>
    <message>
        <source>Adam scaled by the largest gradients: more stable with rare, large gradients.</source>
        <translation>Adam escalado pelos maiores gradientes: mais estável com gradientes raros e grandes.</translation>
    </message>
    <message>
        <source>Adam scaled by the size of each layer's weights, for very large batches.</source>
        <translation>Adam escalado pelo tamanho dos pesos de cada camada, para lotes muito grandes.</translation>
    </message>
    <message>
        <source>Adam with Nesterov momentum.</source>
        <translation>Adam com momentum de Nesterov.</translation>
    </message>
    <message>
        <source>Adam with decoupled weight decay; the usual choice for transformers.</source>
        <translation>Adam com decaimento de pesos desacoplado; a escolha usual para transformers.</translation>
    </message>
    <message>
        <source>Adam works without tuning; SGD with momentum often ends slightly better.</source>
        <translation>Adam funciona sem ajustes; SGD com momentum muitas vezes termina um pouco melhor.</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>Adamax</source>
        <translation>Adamax</translation>
    </message>
    <message>
        <source>Adapts its step size automatically; use a learning rate near 1.</source>
        <translation>Adapta o tamanho do passo automaticamente; use uma taxa de aprendizado perto de 1.</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Somar</translation>
    </message>
    <message>
        <source>Add a border of zeros to keep the size of the image.</source>
        <translation>Acrescenta uma borda de zeros para manter o tamanho da imagem.</translation>
    </message>
    <message>
        <source>Add a constant to every output.</source>
        <translation>Somar uma constante a cada saída.</translation>
    </message>
    <message>
        <source>Add a dense layer with softmax.</source>
        <translation>Adicione uma camada densa com softmax.</translation>
    </message>
    <message>
        <source>Add a step or a count, as in 0.001..0.1:log:count=5, or choose another sampler.</source>
        <translation>Adicione um passo ou uma contagem, como em 0.001..0.1:log:count=5, ou escolha outro amostrador.</translation>
    </message>
    <message>
        <source>Add at least 1 epoch; received {epochs}.</source>
        <translation>Adicione pelo menos 1 época; recebido {epochs}.</translation>
    </message>
    <message>
        <source>Add images of another class to the training split.</source>
        <translation>Adicione imagens de outra classe à divisão de treino.</translation>
    </message>
    <message>
        <source>Add images of another class, or relax the limits.</source>
        <translation>Adicione imagens de outra classe ou afrouxe os limites.</translation>
    </message>
    <message>
        <source>Add images, or move some to the training split.</source>
        <translation>Adicione imagens, ou mova algumas para a divisão de treino.</translation>
    </message>
    <message>
        <source>Add some, or optimize accuracy or loss.</source>
        <translation>Adicione algumas, ou otimize acurácia ou perda.</translation>
    </message>
    <message>
        <source>Add the class first.</source>
        <translation>Adicione a classe primeiro.</translation>
    </message>
    <message>
        <source>Add the images of another place.</source>
        <translation>Adicione as imagens de outro lugar.</translation>
    </message>
    <message>
        <source>Add the input to the output; both must have the same shape.</source>
        <translation>Soma a entrada à saída; ambas precisam ter o mesmo formato.</translation>
    </message>
    <message>
        <source>Added after the factor.</source>
        <translation>Somado depois do fator.</translation>
    </message>
    <message>
        <source>Added to every channel, separated by commas.</source>
        <translation>Somado a cada canal, separados por vírgulas.</translation>
    </message>
    <message>
        <source>Added to squared gradients.</source>
        <translation>Somado aos gradientes ao quadrado.</translation>
    </message>
    <message>
        <source>Added to the divisor; larger values stabilize the first steps.</source>
        <translation>Somado ao divisor; valores maiores estabilizam os primeiros passos.</translation>
    </message>
    <message>
        <source>Added to the variance, so that an image of one color becomes zero.</source>
        <translation>Somado à variância, para que uma imagem de uma só cor vire zero.</translation>
    </message>
    <message>
        <source>Added to the variance, so that nothing is divided by zero.</source>
        <translation>Somado à variância, para que nada seja dividido por zero.</translation>
    </message>
    <message>
        <source>Additional sources whose images are merged class by class.</source>
        <translation>Fontes adicionais cujas imagens são reunidas classe por classe.</translation>
    </message>
    <message>
        <source>Address of a Ray cluster that trains the run, as ray://HOST:10001; empty for this computer.</source>
        <translation>Endereço de um cluster Ray que treina, como ray://HOST:10001; vazio para este computador.</translation>
    </message>
    <message>
        <source>Address of an MLflow server, or a folder, to which the run is logged; empty for none.</source>
        <translation>Endereço de um servidor MLflow, ou uma pasta, onde o treino é registrado; vazio para nenhum.</translation>
    </message>
    <message>
        <source>Addresses with a user name and password are rejected, because they would be stored in the dataset.</source>
        <translation>Endereços com nome de usuário e senha são recusados, porque seriam gravados no conjunto de dados.</translation>
    </message>
    <message>
        <source>Adds a border of zeros around the image.</source>
        <translation>Põe uma borda de zeros em volta da imagem.</translation>
    </message>
    <message>
        <source>Adds branches of the same shape, as residual networks do.</source>
        <translation>Soma ramos do mesmo formato, como fazem as redes residuais.</translation>
    </message>
    <message>
        <source>Adds noise in training, so that the network ignores small changes.</source>
        <translation>Acrescenta ruído no treino, para que a rede ignore pequenas mudanças.</translation>
    </message>
    <message>
        <source>After cross-validation</source>
        <translation>Após a validação cruzada</translation>
    </message>
    <message>
        <source>Against over-fitting</source>
        <translation>Contra o sobreajuste</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>Concordância</translation>
    </message>
    <message>
        <source>Algorithm that selects the next values.</source>
        <translation>Algoritmo que seleciona os próximos valores.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Todas</translation>
    </message>
    <message>
        <source>All corrected pictures are validation or test images of this dataset, so none is added to its training images.</source>
        <translation>Todas as imagens corrigidas são imagens de validação ou teste deste conjunto de dados, por isso nenhuma é adicionada às imagens de treino.</translation>
    </message>
    <message>
        <source>All four</source>
        <translation>Todos os quatro</translation>
    </message>
    <message>
        <source>All images of the dataset were excluded.</source>
        <translation>Todas as imagens do conjunto de dados foram deixadas de fora.</translation>
    </message>
    <message>
        <source>All images together</source>
        <translation>Todas as imagens juntas</translation>
    </message>
    <message>
        <source>All layers are trained, the head at a tenth and the rest at a hundredth of the rate. For many images, or images unlike those of ImageNet.</source>
        <translation>Todas as camadas são treinadas, a cabeça com um décimo e o resto com um centésimo da taxa. Para muitas imagens, ou imagens diferentes das da ImageNet.</translation>
    </message>
    <message>
        <source>All of {count} trials failed. The last: {reason}</source>
        <translation>Todas as {count} tentativas falharam. A última: {reason}</translation>
    </message>
    <message>
        <source>All shows the most points. Test shows only images that the network has never seen.</source>
        <translation>Todas mostra mais pontos. Teste mostra só imagens que a rede nunca viu.</translation>
    </message>
    <message>
        <source>All weights start at random. For thousands of images per class, or without pretrained weights.</source>
        <translation>Todos os pesos começam aleatórios. Para milhares de imagens por classe, ou sem pesos pré-treinados.</translation>
    </message>
    <message>
        <source>Allow addresses of this computer and the local network in lists and redirects.</source>
        <translation>Permite endereços deste computador e da rede local em listas e redirecionamentos.</translation>
    </message>
    <message>
        <source>Also evaluate on blurred, noisy, compressed, rotated, darkened and occluded images.</source>
        <translation>Avaliar também em imagens desfocadas, ruidosas, comprimidas, giradas, escurecidas e ocluídas.</translation>
    </message>
    <message>
        <source>Also increase the learning rate step by step to find the one with the fastest progress.</source>
        <translation>Também aumenta a taxa de aprendizado passo a passo, para encontrar a de progresso mais rápido.</translation>
    </message>
    <message>
        <source>Also uses the head of the starting weights, which must be those of a run.</source>
        <translation>Usa também a cabeça dos pesos iniciais, que devem ser de um treino.</translation>
    </message>
    <message>
        <source>An S3 address has the options endpoint and region, but not "{option}".</source>
        <translation>Um endereço S3 tem as opções endpoint e region, mas não "{option}".</translation>
    </message>
    <message>
        <source>An address with a query (?{query}) is not a folder.</source>
        <translation>Um endereço com uma consulta (?{query}) não é uma pasta.</translation>
    </message>
    <message>
        <source>An efficient residual block for many channels, with 1x1 convolutions.</source>
        <translation>Um bloco residual eficiente para muitos canais, com convoluções 1x1.</translation>
    </message>
    <message>
        <source>An id is a letter, then letters, digits and underscores; "{input}" stands for the images.</source>
        <translation>Um id é uma letra, depois letras, dígitos e sublinhados; "{input}" representa as imagens.</translation>
    </message>
    <message>
        <source>An unsaved drawing cannot be read: {path}.</source>
        <translation>Não é possível ler um desenho que não foi salvo: {path}.</translation>
    </message>
    <message>
        <source>Ankle boot</source>
        <translation>Bota de cano curto</translation>
    </message>
    <message>
        <source>Annotations</source>
        <translation>Anotações</translation>
    </message>
    <message>
        <source>Another Studio has been changing the review queue for {seconds:.0f} seconds.</source>
        <translation>Outro Studio está mudando a fila de revisão há {seconds:.0f} segundos.</translation>
    </message>
    <message>
        <source>Another Studio has been editing this dataset for {seconds:.0f} seconds.</source>
        <translation>Outro Studio está editando este conjunto de dados há {seconds:.0f} segundos.</translation>
    </message>
    <message>
        <source>Another Studio has kept the workspace {workspace} locked for {seconds:.0f} seconds.</source>
        <translation>Outro Studio mantém o espaço de trabalho {workspace} bloqueado há {seconds:.0f} segundos.</translation>
    </message>
    <message>
        <source>Any dataset works: the time does not depend on the images.</source>
        <translation>Qualquer conjunto serve: o tempo não depende das imagens.</translation>
    </message>
    <message>
        <source>Any other layer of Keras, with its settings as JSON.</source>
        <translation>Qualquer outra camada do Keras, com as suas configurações em JSON.</translation>
    </message>
    <message>
        <source>Any value works: the time does not depend on it.</source>
        <translation>Qualquer valor serve: o tempo não depende dele.</translation>
    </message>
    <message>
        <source>Apple GPU</source>
        <translation>GPU da Apple</translation>
    </message>
    <message>
        <source>Apple GPU (MPS)</source>
        <translation>GPU Apple (MPS)</translation>
    </message>
    <message>
        <source>Apple's GPU works through PyTorch: pip install '{distribution}[torch]'</source>
        <translation>A GPU da Apple funciona por meio do PyTorch: pip install '{distribution}[torch]'</translation>
    </message>
    <message>
        <source>Applies a function to every value.</source>
        <translation>Aplica uma função a cada valor.</translation>
    </message>
    <message>
        <source>Applies windows of several sizes in parallel and concatenates the results.</source>
        <translation>Aplica janelas de vários tamanhos em paralelo e concatena os resultados.</translation>
    </message>
    <message>
        <source>Approximate time to compute features; larger datasets are sampled.</source>
        <translation>Tempo aproximado para calcular características; conjuntos maiores são amostrados.</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Arquitetura</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Arquivo compactado</translation>
    </message>
    <message>
        <source>Archive of class folders ({suffixes})</source>
        <translation>Pacote compactado de pastas de classes ({suffixes})</translation>
    </message>
    <message>
        <source>Area under the precision-recall curve of the label.</source>
        <translation>Área sob a curva de precisão e revocação do rótulo.</translation>
    </message>
    <message>
        <source>Arranges the same values in another shape.</source>
        <translation>Arranja os mesmos valores em outro formato.</translation>
    </message>
    <message>
        <source>As Keras writes it. Omitted settings use the defaults of Keras.</source>
        <translation>No formato do Keras. Configurações omitidas usam o padrão do Keras.</translation>
    </message>
    <message>
        <source>As a separable convolution, {layer} has {fewer} weights instead of {count}, {ratio:.1f} times fewer; often slightly less accurate.</source>
        <translation>Como convolução separável, {layer} tem {fewer} pesos em vez de {count}, {ratio:.1f} vezes menos; muitas vezes com acurácia um pouco menor.</translation>
    </message>
    <message>
        <source>As in DIGITS, which recommended 3 %.</source>
        <translation>Como no DIGITS, que recomendava 3 %.</translation>
    </message>
    <message>
        <source>As in DIGITS, which recommended 7 %.</source>
        <translation>Como no DIGITS, que recomendava 7 %.</translation>
    </message>
    <message>
        <source>As its authors trained: without a schedule of your own.</source>
        <translation>Como os autores treinaram: sem um agendamento próprio.</translation>
    </message>
    <message>
        <source>Ask for it again.</source>
        <translation>Peça de novo.</translation>
    </message>
    <message>
        <source>Assign another class to them.</source>
        <translation>Atribua outra classe a elas.</translation>
    </message>
    <message>
        <source>Assign the right class to both, or exclude them.</source>
        <translation>Atribua a classe certa a ambas, ou deixe-as de fora.</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Em</translation>
    </message>
    <message>
        <source>At least two classes are needed; check the files, or choose another folder.</source>
        <translation>São necessárias pelo menos duas classes; verifique os arquivos, ou escolha outra pasta.</translation>
    </message>
    <message>
        <source>At least two classes are needed; {source} has none left.</source>
        <translation>São necessárias pelo menos duas classes; {source} não tem nenhuma.</translation>
    </message>
    <message>
        <source>At least two classes are needed; {source} has only "{class_name}".</source>
        <translation>São necessárias pelo menos duas classes; {source} só tem "{class_name}".</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>No máximo</translation>
    </message>
    <message>
        <source>At most {limit}.</source>
        <translation>No máximo {limit}.</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>De uma vez</translation>
    </message>
    <message>
        <source>Audit the dataset again to update the findings.</source>
        <translation>Faça a auditoria do conjunto de dados de novo para atualizar os resultados.</translation>
    </message>
    <message>
        <source>Audit the dataset again.</source>
        <translation>Audite o conjunto de dados de novo.</translation>
    </message>
    <message>
        <source>Audit the dataset first.</source>
        <translation>Audite o conjunto de dados primeiro.</translation>
    </message>
    <message>
        <source>AugMix</source>
        <translation>AugMix</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>Aumento de dados</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Automático</translation>
    </message>
    <message>
        <source>Auto inspects the files. Choose another mode if it mistakes class indexes for black and white.</source>
        <translation>O modo automático analisa os arquivos. Escolha outro se ele confundir índices de classes com preto e branco.</translation>
    </message>
    <message>
        <source>Auto uses a free GPU if there is one. The run waits until the device is free; cpu:2 divides each batch as two GPUs would.</source>
        <translation>Auto usa uma GPU livre, se houver. O treino espera até que o dispositivo esteja livre; cpu:2 divide cada lote como duas GPUs fariam.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automático</translation>
    </message>
    <message>
        <source>Automatic: a GPU if there is one. Blur, noise, erasing, policies and mixing always run on the processor, and everything else in the plan with them.</source>
        <translation>Automático: uma GPU, se houver. Desfoque, ruído, apagamento, políticas e mistura são sempre executados no processador, e todo o resto do plano com eles.</translation>
    </message>
    <message>
        <source>Auxiliary</source>
        <translation>Auxiliares</translation>
    </message>
    <message>
        <source>Available fixes: {fixes}.</source>
        <translation>Correções disponíveis: {fixes}.</translation>
    </message>
    <message>
        <source>Available: {backbones}.</source>
        <translation>Há: {backbones}.</translation>
    </message>
    <message>
        <source>Available: {checkpoints}.</source>
        <translation>Há: {checkpoints}.</translation>
    </message>
    <message>
        <source>Available: {checkpoints}. Train with snapshot_interval_epochs to store more.</source>
        <translation>Há: {checkpoints}. Treine com snapshot_interval_epochs para guardar mais.</translation>
    </message>
    <message>
        <source>Available: {datasets}.</source>
        <translation>Há: {datasets}.</translation>
    </message>
    <message>
        <source>Available: {layers}.</source>
        <translation>Há: {layers}.</translation>
    </message>
    <message>
        <source>Available: {precisions}.</source>
        <translation>Há: {precisions}.</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>Média</translation>
    </message>
    <message>
        <source>Average pooling</source>
        <translation>Average pooling</translation>
    </message>
    <message>
        <source>Average precision</source>
        <translation>Precisão média</translation>
    </message>
    <message>
        <source>Avoids epochs in which a network only overfits.</source>
        <translation>Evita épocas em que a rede só se sobreajusta.</translation>
    </message>
    <message>
        <source>Axes of the image that share a slope.</source>
        <translation>Eixos da imagem que compartilham uma inclinação.</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>Eixo</translation>
    </message>
    <message>
        <source>Axis along which the inputs are concatenated; -1 is the channels.</source>
        <translation>Eixo ao longo do qual as entradas são concatenadas; -1 são os canais.</translation>
    </message>
    <message>
        <source>Backbone</source>
        <translation>Backbone</translation>
    </message>
    <message>
        <source>Backbone learning rate</source>
        <translation>Taxa de aprendizado do backbone</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Backends</source>
        <translation>Backends</translation>
    </message>
    <message>
        <source>Backends separated by commas: tensorflow, jax or torch.</source>
        <translation>Backends separados por vírgulas: tensorflow, jax ou torch.</translation>
    </message>
    <message>
        <source>Background</source>
        <translation>Fundo</translation>
    </message>
    <message>
        <source>Backwards</source>
        <translation>De trás para a frente</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Equilibrado</translation>
    </message>
    <message>
        <source>Balanced sampling</source>
        <translation>Amostragem balanceada</translation>
    </message>
    <message>
        <source>Balances classes of very different size, or makes a quick first test.</source>
        <translation>Equilibra classes de tamanhos muito diferentes ou permite um primeiro teste rápido.</translation>
    </message>
    <message>
        <source>Base folder of a separate list of test images, if different.</source>
        <translation>Pasta base de uma lista separada de imagens de teste, se for diferente.</translation>
    </message>
    <message>
        <source>Base folder of a separate list of validation images, if different.</source>
        <translation>Pasta base de uma lista separada de imagens de validação, se for diferente.</translation>
    </message>
    <message>
        <source>Base folder of relative paths in a list; empty for the list's folder.</source>
        <translation>Pasta base dos caminhos relativos de uma lista; vazio para a pasta da lista.</translation>
    </message>
    <message>
        <source>Basic</source>
        <translation>Básicas</translation>
    </message>
    <message>
        <source>Batch normalization</source>
        <translation>Normalização em lote</translation>
    </message>
    <message>
        <source>Batch normalization is folded into the layers before it in these weights, so these layers keep their statistics while the others are trained.</source>
        <translation>Nestes pesos, a normalização em lote está incorporada às camadas anteriores; por isso elas mantêm suas estatísticas enquanto as outras são treinadas.</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Tamanho do lote</translation>
    </message>
    <message>
        <source>Batch sizes</source>
        <translation>Tamanhos de lote</translation>
    </message>
    <message>
        <source>Batches of {batch_size} do not fit into memory.</source>
        <translation>Lotes de {batch_size} não cabem na memória.</translation>
    </message>
    <message>
        <source>Batches of {size} images did not fit into memory. Training continues with batches of {new_size} and accumulates the gradients of {steps} of them.</source>
        <translation>Lotes de {size} imagens não couberam na memória. O treino continua com lotes de {new_size} e acumula os gradientes de {steps} deles.</translation>
    </message>
    <message>
        <source>Batches whose gradients are averaged into one weight update.</source>
        <translation>Lotes cujos gradientes formam, em média, uma atualização dos pesos.</translation>
    </message>
    <message>
        <source>Below 1 if an epoch takes an hour; above 1 if validation takes longer than training.</source>
        <translation>Abaixo de 1 se uma época leva uma hora; acima de 1 se a validação leva mais que o treino.</translation>
    </message>
    <message>
        <source>Below 1 if restarts undo too much progress.</source>
        <translation>Abaixo de 1 se os reinícios desfazem progresso demais.</translation>
    </message>
    <message>
        <source>Below 1 if the head or biases become unstable while the rest still learns.</source>
        <translation>Abaixo de 1 se a cabeça ou os vieses ficam instáveis enquanto o resto ainda aprende.</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Melhor</translation>
    </message>
    <message>
        <source>Beta</source>
        <translation>Beta</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>Between pixels</source>
        <translation>Entre pixels</translation>
    </message>
    <message>
        <source>Bias</source>
        <translation>Viés</translation>
    </message>
    <message>
        <source>Bias without effect</source>
        <translation>Viés sem efeito</translation>
    </message>
    <message>
        <source>Bilinear is smooth; nearest is fast and keeps edges.</source>
        <translation>Bilinear é suave; vizinho mais próximo é rápido e mantém as bordas.</translation>
    </message>
    <message>
        <source>Black</source>
        <translation>Preto</translation>
    </message>
    <message>
        <source>Black and white</source>
        <translation>Preto e branco</translation>
    </message>
    <message>
        <source>Black-and-white masks have two classes; received {names} names.</source>
        <translation>Máscaras em preto e branco têm duas classes; foram recebidos {names} nomes.</translation>
    </message>
    <message>
        <source>Blank</source>
        <translation>Vazia</translation>
    </message>
    <message>
        <source>Blank images: {count:,}.</source>
        <translation>Imagens vazias: {count:,}.</translation>
    </message>
    <message>
        <source>Blend neighbors</source>
        <translation>Misturar vizinhos</translation>
    </message>
    <message>
        <source>Blend pairs of images and their labels; 0 is off.</source>
        <translation>Combinar pares de imagens e seus rótulos; 0 desativa.</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Bloco</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blocos</translation>
    </message>
    <message>
        <source>Blur</source>
        <translation>Desfoque</translation>
    </message>
    <message>
        <source>Blurred</source>
        <translation>Borrada</translation>
    </message>
    <message>
        <source>Blurred images: {count:,}.</source>
        <translation>Imagens borradas: {count:,}.</translation>
    </message>
    <message>
        <source>Bootstrap resamples for the confidence intervals; 0 for no intervals.</source>
        <translation>Reamostragens bootstrap para os intervalos de confiança; 0 para nenhum intervalo.</translation>
    </message>
    <message>
        <source>Border</source>
        <translation>Borda</translation>
    </message>
    <message>
        <source>Both directions</source>
        <translation>Nas duas direções</translation>
    </message>
    <message>
        <source>Both must be numbers above 0; times are in seconds.</source>
        <translation>Ambos devem ser números acima de 0; os tempos são em segundos.</translation>
    </message>
    <message>
        <source>Bottom</source>
        <translation>Embaixo</translation>
    </message>
    <message>
        <source>Boundary F1</source>
        <translation>F1 das bordas</translation>
    </message>
    <message>
        <source>Brightness</source>
        <translation>Brilho</translation>
    </message>
    <message>
        <source>Bring images back that were left out, or split the dataset again.</source>
        <translation>Traga de volta imagens que foram deixadas de fora, ou divida o conjunto de dados de novo.</translation>
    </message>
    <message>
        <source>Bucket of S3 with one folder per class (s3://bucket/folder)</source>
        <translation>Bucket S3 com uma pasta por classe (s3://bucket/pasta)</translation>
    </message>
    <message>
        <source>Build a model with one input.</source>
        <translation>Crie um modelo com uma só entrada.</translation>
    </message>
    <message>
        <source>Build a model with one output.</source>
        <translation>Crie um modelo com uma só saída.</translation>
    </message>
    <message>
        <source>Build it again with data_format channels_last.</source>
        <translation>Crie-o de novo com data_format channels_last.</translation>
    </message>
    <message>
        <source>Build it with an input size and save it again.</source>
        <translation>Construa-o com um tamanho de entrada e salve-o de novo.</translation>
    </message>
    <message>
        <source>Build the model from layers of Keras alone in Python, load its weights, and save it again.</source>
        <translation>Monte o modelo em Python apenas com camadas do Keras, carregue os pesos e salve-o novamente.</translation>
    </message>
    <message>
        <source>Building the network</source>
        <translation>Construindo a rede</translation>
    </message>
    <message>
        <source>Bundle</source>
        <translation>Pacote</translation>
    </message>
    <message>
        <source>By group</source>
        <translation>Por grupo</translation>
    </message>
    <message>
        <source>C was selected on the validation images, so a test split gives a fairer figure.</source>
        <translation>C foi escolhido nas imagens de validação, por isso uma divisão de teste dá um valor mais justo.</translation>
    </message>
    <message>
        <source>CIFAR-10</source>
        <translation>CIFAR-10</translation>
    </message>
    <message>
        <source>CIFAR-10 and CIFAR-100 (Python or binary batches)</source>
        <translation>CIFAR-10 e CIFAR-100 (lotes em Python ou binários)</translation>
    </message>
    <message>
        <source>CIFAR-100</source>
        <translation>CIFAR-100</translation>
    </message>
    <message>
        <source>CMA-ES (evolution)</source>
        <translation>CMA-ES (evolução)</translation>
    </message>
    <message>
        <source>CMA-ES looks for one objective; received several.</source>
        <translation>CMA-ES procura um só objetivo; foram recebidos vários.</translation>
    </message>
    <message>
        <source>CMA-ES needs two or more fields that vary over ranges.</source>
        <translation>CMA-ES precisa de dois ou mais campos que variem em intervalos.</translation>
    </message>
    <message>
        <source>COCO JSON with polygons or RLE</source>
        <translation>COCO JSON com polígonos ou RLE</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>Threads da CPU</translation>
    </message>
    <message>
        <source>CPU, {cores} cores</source>
        <translation>CPU, {cores} núcleos</translation>
    </message>
    <message>
        <source>CPU, {cores} cores, as {number} devices</source>
        <translation>CPU, {cores} núcleos, como {number} dispositivos</translation>
    </message>
    <message>
        <source>CUDA in onnxruntime</source>
        <translation>CUDA no onnxruntime</translation>
    </message>
    <message>
        <source>Call the column with the file names path, and name the other columns.</source>
        <translation>Chame de path a coluna com os nomes dos arquivos e dê nomes às outras colunas.</translation>
    </message>
    <message>
        <source>Cells</source>
        <translation>Células</translation>
    </message>
    <message>
        <source>Center crop</source>
        <translation>Corte central</translation>
    </message>
    <message>
        <source>Centered</source>
        <translation>Centrado</translation>
    </message>
    <message>
        <source>Change it to see how much a result depends on the choice of held-out images.</source>
        <translation>Mude-a para ver quanto um resultado depende da escolha das imagens separadas.</translation>
    </message>
    <message>
        <source>Change it to see how much the result depends on the sampled images.</source>
        <translation>Mude-a para ver quanto o resultado depende das imagens sorteadas.</translation>
    </message>
    <message>
        <source>Change its permissions, or choose a folder that you can write to.</source>
        <translation>Mude as permissões, ou escolha uma pasta em que você possa gravar.</translation>
    </message>
    <message>
        <source>Change its permissions, or choose another folder.</source>
        <translation>Mude as permissões dela, ou escolha outra pasta.</translation>
    </message>
    <message>
        <source>Change its settings, the layers before it, or the size of the images.</source>
        <translation>Mude as configurações dela, as camadas antes dela ou o tamanho das imagens.</translation>
    </message>
    <message>
        <source>Change one of their labels or quantities.</source>
        <translation>Altere um rótulo ou uma grandeza delas.</translation>
    </message>
    <message>
        <source>Change the pattern so that it matches the part of the name that images of a group share.</source>
        <translation>Mude o padrão para que encontre a parte do nome que as imagens de um grupo têm em comum.</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Canais</translation>
    </message>
    <message>
        <source>Channels at the full size; each level below doubles them.</source>
        <translation>Canais no tamanho total; cada nível abaixo os dobra.</translation>
    </message>
    <message>
        <source>Channels of the first stage; every stage doubles them.</source>
        <translation>Canais do primeiro estágio; cada estágio os dobra.</translation>
    </message>
    <message>
        <source>Channels of the images.</source>
        <translation>Canais das imagens.</translation>
    </message>
    <message>
        <source>Channels of the layers behind the backbone.</source>
        <translation>Canais das camadas depois do backbone.</translation>
    </message>
    <message>
        <source>Check its disk, or import the images again.</source>
        <translation>Verifique o disco ou importe as imagens novamente.</translation>
    </message>
    <message>
        <source>Check its spelling.</source>
        <translation>Verifique a grafia.</translation>
    </message>
    <message>
        <source>Check that it is connected, then try again.</source>
        <translation>Verifique se está conectado e tente de novo.</translation>
    </message>
    <message>
        <source>Check that its disk is connected; Studio keeps trying.</source>
        <translation>Verifique se o disco está conectado; o Studio continua tentando.</translation>
    </message>
    <message>
        <source>Check that nothing was forgotten. Images without objects are useful, as long as they are few.</source>
        <translation>Verifique se nada foi esquecido. Imagens sem objetos são úteis, desde que sejam poucas.</translation>
    </message>
    <message>
        <source>Check that these are masks, not photos. Masks must be stored losslessly, as PNG.</source>
        <translation>Verifique se são máscaras, e não fotografias. Máscaras devem ser salvas sem perdas, como PNG.</translation>
    </message>
    <message>
        <source>Check the address and the network and try again.</source>
        <translation>Verifique o endereço e a rede e tente de novo.</translation>
    </message>
    <message>
        <source>Check the address and the network, or save the picture and drop the file.</source>
        <translation>Verifique o endereço e a rede, ou salve a imagem e solte o arquivo.</translation>
    </message>
    <message>
        <source>Check the address and the network. It must show the list of class folders that a web server writes.</source>
        <translation>Verifique o endereço e a rede. Ele precisa mostrar a lista de pastas de classes que um servidor web escreve.</translation>
    </message>
    <message>
        <source>Check the bucket and the folder.</source>
        <translation>Verifique o bucket e a pasta.</translation>
    </message>
    <message>
        <source>Check the bucket, the endpoint and the network. Credentials are read from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or a profile (AWS_PROFILE).</source>
        <translation>Verifique o bucket, o endpoint e a rede. As credenciais são lidas do ambiente (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) ou de um perfil (AWS_PROFILE).</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>Verifique o arquivo.</translation>
    </message>
    <message>
        <source>Check the names of the columns.</source>
        <translation>Confira os nomes das colunas.</translation>
    </message>
    <message>
        <source>Check the network and try again; the download resumes. Or get {file} elsewhere, put it into {folder} and import that folder.</source>
        <translation>Verifique a rede e tente de novo; o download continua de onde parou. Ou obtenha {file} de outra forma, coloque em {folder} e importe essa pasta.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Verifique o caminho.</translation>
    </message>
    <message>
        <source>Check the prefix.</source>
        <translation>Verifique o prefixo.</translation>
    </message>
    <message>
        <source>Check the splits of the images, or relax the limits.</source>
        <translation>Verifique as divisões das imagens ou afrouxe os limites.</translation>
    </message>
    <message>
        <source>Check whether the images show the target, and whether training and validation images are similar; then train longer, or start from pretrained weights.</source>
        <translation>Verifique se as imagens mostram o alvo e se as de treino e de validação são parecidas; depois treine por mais tempo, ou comece com pesos pré-treinados.</translation>
    </message>
    <message>
        <source>Checking every image</source>
        <translation>Verificando cada imagem</translation>
    </message>
    <message>
        <source>Checking labels</source>
        <translation>Verificando rótulos</translation>
    </message>
    <message>
        <source>Checking targets</source>
        <translation>Verificando os alvos</translation>
    </message>
    <message>
        <source>Checking the masks</source>
        <translation>Verificando as máscaras</translation>
    </message>
    <message>
        <source>Checking the original files</source>
        <translation>Verificando os arquivos originais</translation>
    </message>
    <message>
        <source>Checking {format}</source>
        <translation>Verificando {format}</translation>
    </message>
    <message>
        <source>Checking {name}</source>
        <translation>Consultando {name}</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation>Checkpoint a cada</translation>
    </message>
    <message>
        <source>Choose AdamW, or another backend.</source>
        <translation>Escolha AdamW, ou outro backend.</translation>
    </message>
    <message>
        <source>Choose JAX or TensorFlow.</source>
        <translation>Escolha JAX ou TensorFlow.</translation>
    </message>
    <message>
        <source>Choose a .keras file, or the folder of an export, with a {file} in it.</source>
        <translation>Escolha um arquivo .keras, ou a pasta de uma exportação, com um {file} dentro.</translation>
    </message>
    <message>
        <source>Choose a .weights.h5, .h5 or .keras file that Keras wrote.</source>
        <translation>Escolha um arquivo .weights.h5, .h5 ou .keras gravado pelo Keras.</translation>
    </message>
    <message>
        <source>Choose a JSON file that Studio wrote.</source>
        <translation>Escolha um arquivo JSON gravado pelo Studio.</translation>
    </message>
    <message>
        <source>Choose a class.</source>
        <translation>Escolha uma classe.</translation>
    </message>
    <message>
        <source>Choose a complete Keras model: a .keras, .h5 or .hdf5 file.</source>
        <translation>Escolha um modelo completo salvo pelo Keras: um arquivo .keras, .h5 ou .hdf5.</translation>
    </message>
    <message>
        <source>Choose a convolution, or cover the picture part by part.</source>
        <translation>Escolha uma convolução, ou cubra a imagem parte por parte.</translation>
    </message>
    <message>
        <source>Choose a dataset with the classes of the model, rename the classes, or exclude these images.</source>
        <translation>Escolha um conjunto de dados com as classes do modelo, renomeie as classes, ou deixe estas imagens de fora.</translation>
    </message>
    <message>
        <source>Choose a dataset with the same targets.</source>
        <translation>Escolha um conjunto de dados com os mesmos alvos.</translation>
    </message>
    <message>
        <source>Choose a file that studio runs pack wrote.</source>
        <translation>Escolha um arquivo gravado por studio runs pack.</translation>
    </message>
    <message>
        <source>Choose a file that you can read.</source>
        <translation>Escolha um arquivo que você possa ler.</translation>
    </message>
    <message>
        <source>Choose a folder further down, or import an archive.</source>
        <translation>Escolha uma pasta mais abaixo, ou importe um pacote compactado.</translation>
    </message>
    <message>
        <source>Choose a folder that you can write to.</source>
        <translation>Escolha uma pasta em que você possa gravar.</translation>
    </message>
    <message>
        <source>Choose a model of gray or color images.</source>
        <translation>Escolha um modelo de imagens em tons de cinza ou coloridas.</translation>
    </message>
    <message>
        <source>Choose a model that classifies images.</source>
        <translation>Escolha um modelo que classifique imagens.</translation>
    </message>
    <message>
        <source>Choose a network such as mobilenet_v2, or name a file with weights.</source>
        <translation>Escolha uma rede como mobilenet_v2, ou indique um arquivo com pesos.</translation>
    </message>
    <message>
        <source>Choose a split that has images, or import the dataset with a larger share.</source>
        <translation>Escolha uma divisão que tenha imagens, ou importe o conjunto de dados com uma proporção maior.</translation>
    </message>
    <message>
        <source>Choose a text file.</source>
        <translation>Escolha um arquivo de texto.</translation>
    </message>
    <message>
        <source>Choose an empty folder, or a workspace of Studio.</source>
        <translation>Escolha uma pasta vazia ou um espaço de trabalho do Studio.</translation>
    </message>
    <message>
        <source>Choose an existing folder that you can write to.</source>
        <translation>Escolha uma pasta que exista e em que você possa gravar.</translation>
    </message>
    <message>
        <source>Choose another dataset, or another version of this one.</source>
        <translation>Escolha outro conjunto de dados, ou outra versão deste.</translation>
    </message>
    <message>
        <source>Choose another format or precision, and please report this.</source>
        <translation>Escolha outro formato ou outra precisão, e por favor relate isto.</translation>
    </message>
    <message>
        <source>Choose another format or precision.</source>
        <translation>Escolha outro formato ou outra precisão.</translation>
    </message>
    <message>
        <source>Choose another format.</source>
        <translation>Escolha outro formato.</translation>
    </message>
    <message>
        <source>Choose another layer as the output.</source>
        <translation>Escolha outra camada como saída.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Escolha outro nome.</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>Escolha outro.</translation>
    </message>
    <message>
        <source>Choose another optimizer.</source>
        <translation>Escolha outro otimizador.</translation>
    </message>
    <message>
        <source>Choose another picture.</source>
        <translation>Escolha outra imagem.</translation>
    </message>
    <message>
        <source>Choose another run or network.</source>
        <translation>Escolha outro treino ou outra rede.</translation>
    </message>
    <message>
        <source>Choose another split, or import the images again with a larger share for it.</source>
        <translation>Escolha outra divisão, ou importe as imagens de novo com uma proporção maior para ela.</translation>
    </message>
    <message>
        <source>Choose another split.</source>
        <translation>Escolha outra divisão.</translation>
    </message>
    <message>
        <source>Choose another version.</source>
        <translation>Escolha outra versão.</translation>
    </message>
    <message>
        <source>Choose another, for example "{name}".</source>
        <translation>Escolha outro, por exemplo "{name}".</translation>
    </message>
    <message>
        <source>Choose another.</source>
        <translation>Escolha outro.</translation>
    </message>
    <message>
        <source>Choose at least one image.</source>
        <translation>Escolha pelo menos uma imagem.</translation>
    </message>
    <message>
        <source>Choose at least one.</source>
        <translation>Escolha pelo menos um.</translation>
    </message>
    <message>
        <source>Choose auto or cpu. If the computer has a GPU, studio doctor shows what to install.</source>
        <translation>Escolha auto ou cpu. Se o computador tiver GPU, studio doctor mostra o que instalar.</translation>
    </message>
    <message>
        <source>Choose auto, cpu or one of: {gpus}.</source>
        <translation>Escolha auto, cpu ou uma destas: {gpus}.</translation>
    </message>
    <message>
        <source>Choose float32, which all formats support.</source>
        <translation>Escolha float32, que todos os formatos aceitam.</translation>
    </message>
    <message>
        <source>Choose from {networks}.</source>
        <translation>Escolha entre {networks}.</translation>
    </message>
    <message>
        <source>Choose gray where color carries no information: images are three times smaller.</source>
        <translation>Escolha cinza quando a cor não traz informação: as imagens ficam três vezes menores.</translation>
    </message>
    <message>
        <source>Choose images first.</source>
        <translation>Escolha imagens primeiro.</translation>
    </message>
    <message>
        <source>Choose images that are included in the dataset.</source>
        <translation>Escolha imagens incluídas no conjunto de dados.</translation>
    </message>
    <message>
        <source>Choose larger sizes.</source>
        <translation>Use tamanhos maiores.</translation>
    </message>
    <message>
        <source>Choose networks that you plan to train: small ones gain less from a fast device than large ones.</source>
        <translation>Use as que você pretende treinar: redes pequenas ganham menos com um dispositivo rápido do que as grandes.</translation>
    </message>
    <message>
        <source>Choose one device, or the backend JAX or TensorFlow.</source>
        <translation>Escolha um só dispositivo, ou o backend JAX ou TensorFlow.</translation>
    </message>
    <message>
        <source>Choose one of its layers.</source>
        <translation>Escolha uma das camadas dela.</translation>
    </message>
    <message>
        <source>Choose one of {networks}.</source>
        <translation>Escolha uma destas: {networks}.</translation>
    </message>
    <message>
        <source>Choose other weights.</source>
        <translation>Escolha outros pesos.</translation>
    </message>
    <message>
        <source>Choose small networks and small batches.</source>
        <translation>Escolha redes pequenas e lotes pequenos.</translation>
    </message>
    <message>
        <source>Choose smaller images, or a workspace on another disk.</source>
        <translation>Escolha imagens menores, ou um espaço de trabalho em outro disco.</translation>
    </message>
    <message>
        <source>Choose the columns of the labels; on the command line with --target-columns.</source>
        <translation>Escolha as colunas dos rótulos; na linha de comando com --target-columns.</translation>
    </message>
    <message>
        <source>Choose the dataset that it was trained on, or a model with its labels.json.</source>
        <translation>Escolha o conjunto de dados com que foi treinado, ou um modelo com o seu labels.json.</translation>
    </message>
    <message>
        <source>Choose the dataset that it was trained on, or import this one in that size.</source>
        <translation>Escolha o conjunto de dados com que foi treinado, ou importe este nesse tamanho.</translation>
    </message>
    <message>
        <source>Choose the dataset that it was trained on.</source>
        <translation>Escolha o conjunto de dados com que foi treinado.</translation>
    </message>
    <message>
        <source>Choose the folder of a Studio export, which contains the class names.</source>
        <translation>Escolha a pasta de uma exportação do Studio, que contém os nomes das classes.</translation>
    </message>
    <message>
        <source>Choose the folder that contains the classes, for example {folder}.</source>
        <translation>Escolha a pasta que contém as classes, por exemplo {folder}.</translation>
    </message>
    <message>
        <source>Choose the folder, or the .zip file, that Studio wrote.</source>
        <translation>Escolha a pasta, ou o arquivo .zip, que o Studio gravou.</translation>
    </message>
    <message>
        <source>Choose the image folder as the source and the JSON file as the annotations.</source>
        <translation>Escolha a pasta das imagens como fonte e o arquivo JSON como anotações.</translation>
    </message>
    <message>
        <source>Choose the kind, for example --kind run.</source>
        <translation>Escolha o tipo, por exemplo --kind run.</translation>
    </message>
    <message>
        <source>Choose the network "{network}", or name a file with weights.</source>
        <translation>Escolha a rede "{network}", ou indique um arquivo com pesos.</translation>
    </message>
    <message>
        <source>Choose the network "{network}", or other weights.</source>
        <translation>Escolha a rede "{network}" ou outros pesos.</translation>
    </message>
    <message>
        <source>Choose the network that these weights belong to, or other weights.</source>
        <translation>Escolha a rede à qual estes pesos pertencem ou outros pesos.</translation>
    </message>
    <message>
        <source>Choose the network that they belong to, and start it from this file.</source>
        <translation>Escolha a rede a que pertencem e comece-a com este arquivo.</translation>
    </message>
    <message>
        <source>Choose the new class of the images.</source>
        <translation>Escolha a nova classe das imagens.</translation>
    </message>
    <message>
        <source>Choose the original Keras model: a .keras, .h5 or .hdf5 file.</source>
        <translation>Escolha o modelo do Keras do qual ele foi gerado: um arquivo .keras, .h5 ou .hdf5.</translation>
    </message>
    <message>
        <source>Choose the task {task}, or another source.</source>
        <translation>Escolha a tarefa {task} ou outra fonte.</translation>
    </message>
    <message>
        <source>Choose weights of a published backbone, such as mobilenet_v2.</source>
        <translation>Escolha pesos de um backbone publicado, como mobilenet_v2.</translation>
    </message>
    <message>
        <source>Chosen by its author for few rounds; rarely worth changing.</source>
        <translation>Escolhido pelo autor para poucas rodadas; raramente vale a pena mudar.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Class balancing</source>
        <translation>Balanceamento de classes</translation>
    </message>
    <message>
        <source>Class colors</source>
        <translation>Cores das classes</translation>
    </message>
    <message>
        <source>Class indexes</source>
        <translation>Índices das classes</translation>
    </message>
    <message>
        <source>Class names</source>
        <translation>Nomes das classes</translation>
    </message>
    <message>
        <source>Class names have 1 to {limit} characters; received {name}.</source>
        <translation>Nomes de classes têm de 1 a {limit} caracteres; recebido {name}.</translation>
    </message>
    <message>
        <source>Class weights in the loss</source>
        <translation>Pesos por classe na perda</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Classes of the network; noise images are all of the first class.</source>
        <translation>Classes da rede; imagens de ruído são todas da primeira classe.</translation>
    </message>
    <message>
        <source>Classes with far fewer training pixels than others: {count:,}; "{class_name}" has {smallest:.2%} of the pixels, "{largest_class}" has {most:.1%}.</source>
        <translation>Classes com muito menos pixels de treino que outras: {count:,}; "{class_name}" tem {smallest:.2%} dos pixels, "{largest_class}" tem {most:.1%}.</translation>
    </message>
    <message>
        <source>Classification</source>
        <translation>Classificação</translation>
    </message>
    <message>
        <source>Clip global norm</source>
        <translation>Limitar a norma global</translation>
    </message>
    <message>
        <source>Clip norm per weight</source>
        <translation>Limitar a norma por peso</translation>
    </message>
    <message>
        <source>Clip updates at</source>
        <translation>Limitar atualizações a</translation>
    </message>
    <message>
        <source>Clip value</source>
        <translation>Limitar valores</translation>
    </message>
    <message>
        <source>Close Studio and move the folder to {folder}.</source>
        <translation>Feche o Studio e mova a pasta para {folder}.</translation>
    </message>
    <message>
        <source>Close Studio, move the folder to one that is not synced, and open it there.</source>
        <translation>Feche o Studio, mova a pasta para um lugar não sincronizado e abra-a lá.</translation>
    </message>
    <message>
        <source>Close other programs, or raise the limit (ulimit -n), then try again.</source>
        <translation>Feche outros programas, ou aumente o limite (ulimit -n), e tente de novo.</translation>
    </message>
    <message>
        <source>Close that program, or wait for the job that uses the file, then try again.</source>
        <translation>Feche esse programa ou aguarde o trabalho que usa o arquivo e tente de novo.</translation>
    </message>
    <message>
        <source>Close the programs that use its files and try again.</source>
        <translation>Feche os programas que usam os arquivos e tente de novo.</translation>
    </message>
    <message>
        <source>Closer to 0 forgets old gradients sooner; rarely worth changing.</source>
        <translation>Mais perto de 0 esquece antes os gradientes antigos; raramente vale a pena mudar.</translation>
    </message>
    <message>
        <source>Closer to 1 remembers longer and makes more even steps; 0.99 for small batches.</source>
        <translation>Mais perto de 1 lembra por mais tempo e dá passos mais uniformes; 0,99 para lotes pequenos.</translation>
    </message>
    <message>
        <source>Closer to 1 remembers longer and makes more even steps; rarely worth changing.</source>
        <translation>Mais perto de 1 lembra por mais tempo e dá passos mais uniformes; raramente vale a pena mudar.</translation>
    </message>
    <message>
        <source>Collect insights</source>
        <translation>Coletar informações</translation>
    </message>
    <message>
        <source>Collect more images of those with few, or balance them in the training.</source>
        <translation>Reúna mais imagens das que têm poucas, ou balanceie-as no treino.</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>Cor</translation>
    </message>
    <message>
        <source>Color behind transparent pixels and around filled images, as #rrggbb.</source>
        <translation>Cor atrás de pixels transparentes e em volta de imagens preenchidas, como #rrggbb.</translation>
    </message>
    <message>
        <source>Colors</source>
        <translation>Cores</translation>
    </message>
    <message>
        <source>Colors of the classes of the masks as #rrggbb.</source>
        <translation>Cores das classes das máscaras, como #rrggbb.</translation>
    </message>
    <message>
        <source>Columns at the right.</source>
        <translation>Colunas à direita.</translation>
    </message>
    <message>
        <source>Columns of a table that hold the targets; empty for all usable columns.</source>
        <translation>Colunas de uma tabela com os alvos; vazio para todas as colunas utilizáveis.</translation>
    </message>
    <message>
        <source>Columns on the left.</source>
        <translation>Colunas à esquerda.</translation>
    </message>
    <message>
        <source>Combination of the outputs of the two directions.</source>
        <translation>Combinação das saídas das duas direções.</translation>
    </message>
    <message>
        <source>Comments</source>
        <translation>Comentários</translation>
    </message>
    <message>
        <source>Comparing with tiny pictures</source>
        <translation>Comparando com imagens minúsculas</translation>
    </message>
    <message>
        <source>Compute it again.</source>
        <translation>Calcule-o de novo.</translation>
    </message>
    <message>
        <source>Computed on</source>
        <translation>Calculado em</translation>
    </message>
    <message>
        <source>Computing features</source>
        <translation>Calculando características</translation>
    </message>
    <message>
        <source>Concat keeps both and doubles the outputs; sum and ave keep their number.</source>
        <translation>Concat mantém as duas e dobra as saídas; sum e ave mantêm o número delas.</translation>
    </message>
    <message>
        <source>Concatenate</source>
        <translation>Concatenar</translation>
    </message>
    <message>
        <source>Concatenates the channels of branches.</source>
        <translation>Concatena os canais dos ramos.</translation>
    </message>
    <message>
        <source>Conflicting labels</source>
        <translation>Rótulos em conflito</translation>
    </message>
    <message>
        <source>Connect a camera and allow Studio to use it.</source>
        <translation>Conecte uma câmera e permita que o Studio a use.</translation>
    </message>
    <message>
        <source>Connect it or remove it.</source>
        <translation>Ligue-a ou remova-a.</translation>
    </message>
    <message>
        <source>Connect it to a backbone.</source>
        <translation>Conecte-a a um backbone.</translation>
    </message>
    <message>
        <source>Connect its disk or bring the folder back, or open another workspace.</source>
        <translation>Conecte o disco dele ou traga a pasta de volta, ou abra outro espaço de trabalho.</translation>
    </message>
    <message>
        <source>Connect its disk or bring the folder back, then try again.</source>
        <translation>Conecte o disco dele ou traga a pasta de volta, e tente de novo.</translation>
    </message>
    <message>
        <source>Connect its disk or bring the folder back.</source>
        <translation>Conecte o disco dele ou traga a pasta de volta.</translation>
    </message>
    <message>
        <source>Connect or restore it and import again; the import continues where it stopped.</source>
        <translation>Conecte ou restaure e importe de novo; a importação continua de onde parou.</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Constante</translation>
    </message>
    <message>
        <source>Content of the borders that Fill and Half crop add.</source>
        <translation>Conteúdo das bordas que Preencher e Meio corte acrescentam.</translation>
    </message>
    <message>
        <source>Continue or repeat the import.</source>
        <translation>Continue ou repita a importação.</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Contraste</translation>
    </message>
    <message>
        <source>ConvNeXt base</source>
        <translation>ConvNeXt base</translation>
    </message>
    <message>
        <source>ConvNeXt extra large</source>
        <translation>ConvNeXt extra large</translation>
    </message>
    <message>
        <source>ConvNeXt large</source>
        <translation>ConvNeXt large</translation>
    </message>
    <message>
        <source>ConvNeXt small</source>
        <translation>ConvNeXt small</translation>
    </message>
    <message>
        <source>ConvNeXt tiny</source>
        <translation>ConvNeXt tiny</translation>
    </message>
    <message>
        <source>Convert it first: studio networks convert {file}</source>
        <translation>Converta-o primeiro: studio networks convert {file}</translation>
    </message>
    <message>
        <source>Convert the values to one unit.</source>
        <translation>Converta os valores para uma só unidade.</translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation>Convolução</translation>
    </message>
    <message>
        <source>Convolution in the shortcut</source>
        <translation>Convolução no atalho</translation>
    </message>
    <message>
        <source>Convolution, norm, ReLU</source>
        <translation>Convolução, norma, ReLU</translation>
    </message>
    <message>
        <source>Convolutions</source>
        <translation>Convoluções</translation>
    </message>
    <message>
        <source>Convolutions per stage (N).</source>
        <translation>Convoluções por estágio (N).</translation>
    </message>
    <message>
        <source>Copy it again, or save it as a file and drop the file.</source>
        <translation>Copie-a de novo ou salve-a como arquivo e solte o arquivo.</translation>
    </message>
    <message>
        <source>Copy it to a folder that you can write to, and open the copy.</source>
        <translation>Copie-o para uma pasta em que você possa gravar e abra a cópia.</translation>
    </message>
    <message>
        <source>Copy layers in a designer of Studio, or the JSON of a network.</source>
        <translation>Copie camadas em um editor de redes do Studio, ou o JSON de uma rede.</translation>
    </message>
    <message>
        <source>Copy the weights into a Keras model in Python, and save a .keras file.</source>
        <translation>Copie os pesos para um modelo do Keras em Python e salve um arquivo .keras.</translation>
    </message>
    <message>
        <source>Correct a wrong answer first.</source>
        <translation>Corrija uma resposta errada primeiro.</translation>
    </message>
    <message>
        <source>Correct pictures that the dataset does not contain.</source>
        <translation>Corrija imagens que o conjunto de dados não contém.</translation>
    </message>
    <message>
        <source>Correct the masks, then import again.</source>
        <translation>Corrija as máscaras e importe de novo.</translation>
    </message>
    <message>
        <source>Correct the targets, or exclude the images.</source>
        <translation>Corrija os alvos ou deixe as imagens de fora.</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Cosseno</translation>
    </message>
    <message>
        <source>Cosine with restarts</source>
        <translation>Cosseno com reinícios</translation>
    </message>
    <message>
        <source>Credentials are read from the environment or a profile.</source>
        <translation>As credenciais são lidas do ambiente ou de um perfil.</translation>
    </message>
    <message>
        <source>Crop</source>
        <translation>Recorte</translation>
    </message>
    <message>
        <source>Crop the longer side</source>
        <translation>Cortar o lado mais longo</translation>
    </message>
    <message>
        <source>Cropping</source>
        <translation>Corte</translation>
    </message>
    <message>
        <source>Cross-validation splits the current version of the dataset, and the plan names one.</source>
        <translation>A validação cruzada divide a versão atual do conjunto de dados, e o plano indica uma versão.</translation>
    </message>
    <message>
        <source>Csurka et al., What is a good evaluation measure for semantic segmentation, BMVC 2013</source>
        <translation>Csurka et al., What is a good evaluation measure for semantic segmentation, BMVC 2013</translation>
    </message>
    <message>
        <source>CutMix</source>
        <translation>CutMix</translation>
    </message>
    <message>
        <source>Cuts a border off the image.</source>
        <translation>Corta uma borda da imagem.</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Dataset of Studio's</source>
        <translation>Conjunto de dados do Studio</translation>
    </message>
    <message>
        <source>Dataset to audit.</source>
        <translation>Conjunto de dados a auditar.</translation>
    </message>
    <message>
        <source>Dataset to train on.</source>
        <translation>Conjunto de dados para o treino.</translation>
    </message>
    <message>
        <source>Decay of beta 2</source>
        <translation>Decaimento de beta 2</translation>
    </message>
    <message>
        <source>Decay rate of the mean gradient (beta 1).</source>
        <translation>Taxa de decaimento do gradiente médio (beta 1).</translation>
    </message>
    <message>
        <source>Decay rate of the mean gradient.</source>
        <translation>Taxa de decaimento do gradiente médio.</translation>
    </message>
    <message>
        <source>Decay rate of the mean squared gradient (beta 2).</source>
        <translation>Taxa de decaimento do gradiente quadrático médio (beta 2).</translation>
    </message>
    <message>
        <source>Decay rate of the running means.</source>
        <translation>Taxa de decaimento das médias móveis.</translation>
    </message>
    <message>
        <source>Decreases as a cosine in several rounds; each restart may escape a poor solution.</source>
        <translation>Diminui como um cosseno em várias rodadas; cada reinício pode escapar de uma solução ruim.</translation>
    </message>
    <message>
        <source>Decreases by a constant percentage.</source>
        <translation>Diminui por uma porcentagem constante.</translation>
    </message>
    <message>
        <source>Decreases by a factor at the given points of training.</source>
        <translation>Diminui por um fator nos pontos indicados do treino.</translation>
    </message>
    <message>
        <source>Decreases fast at first, then ever more slowly.</source>
        <translation>Diminui depressa no início, depois cada vez mais devagar.</translation>
    </message>
    <message>
        <source>Decreases slowly at first and at the end, fast in between: a good default.</source>
        <translation>Diminui devagar no início e no fim, depressa no meio: um bom padrão.</translation>
    </message>
    <message>
        <source>Decreases to zero: linearly, or earlier with a higher power.</source>
        <translation>Diminui até zero: linearmente, ou mais cedo com uma potência maior.</translation>
    </message>
    <message>
        <source>Decreasing steps, smaller for weights that changed a lot; for rare features.</source>
        <translation>Passos decrescentes, menores para pesos que mudaram muito; para características raras.</translation>
    </message>
    <message>
        <source>Deep and light: for photographs of 96 pixels and more.</source>
        <translation>Profunda e leve: para fotografias de 96 pixels ou mais.</translation>
    </message>
    <message>
        <source>DeepLabV3+ ({backbone})</source>
        <translation>DeepLabV3+ ({backbone})</translation>
    </message>
    <message>
        <source>Delete it first.</source>
        <translation>Exclua-o primeiro.</translation>
    </message>
    <message>
        <source>Delete it; the sweep imports another.</source>
        <translation>Exclua-o; a varredura importa outro.</translation>
    </message>
    <message>
        <source>Delete this import and start it again.</source>
        <translation>Exclua esta importação e comece-a de novo.</translation>
    </message>
    <message>
        <source>Deleting</source>
        <translation>Excluindo</translation>
    </message>
    <message>
        <source>Dense</source>
        <translation>Densa</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>Camadas densas</translation>
    </message>
    <message>
        <source>DenseNet-121</source>
        <translation>DenseNet-121</translation>
    </message>
    <message>
        <source>DenseNet-169</source>
        <translation>DenseNet-169</translation>
    </message>
    <message>
        <source>DenseNet-201</source>
        <translation>DenseNet-201</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>Profundidade</translation>
    </message>
    <message>
        <source>Depthwise convolution</source>
        <translation>Convolução em profundidade</translation>
    </message>
    <message>
        <source>Detects larger patterns; a few filters are enough.</source>
        <translation>Detecta padrões maiores; poucos filtros bastam.</translation>
    </message>
    <message>
        <source>Detects the same small patterns everywhere in the image.</source>
        <translation>Detecta os mesmos pequenos padrões em toda a imagem.</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>Determinístico</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Device that augments the images: the CPU or the training device.</source>
        <translation>Dispositivo que aumenta as imagens: a CPU ou o dispositivo de treino.</translation>
    </message>
    <message>
        <source>Device to train on: auto, cpu, gpu (any), gpu:1, gpu:0,2 together, or gpus:2 (any two).</source>
        <translation>Dispositivo de treino: auto, cpu, gpu (qualquer), gpu:1, gpu:0,2 juntas ou gpus:2 (duas quaisquer).</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Dispositivos</translation>
    </message>
    <message>
        <source>Devices reach full speed only with large sizes. Sizes that do not fit into memory are marked.</source>
        <translation>Os dispositivos só atingem a velocidade máxima com tamanhos grandes. Os que não cabem na memória são marcados.</translation>
    </message>
    <message>
        <source>Devices separated by commas: cpu, gpu:0; speed-up is relative to the first.</source>
        <translation>Dispositivos separados por vírgulas: cpu, gpu:0; a aceleração é relativa ao primeiro.</translation>
    </message>
    <message>
        <source>Dice</source>
        <translation>Dice</translation>
    </message>
    <message>
        <source>Dice loss</source>
        <translation>Perda Dice</translation>
    </message>
    <message>
        <source>Dice, Measures of the amount of ecologic association between species, Ecology 1945</source>
        <translation>Dice, Measures of the amount of ecologic association between species, Ecology 1945</translation>
    </message>
    <message>
        <source>Did you mean "{name}"?</source>
        <translation>Você quis dizer "{name}"?</translation>
    </message>
    <message>
        <source>Dilated convolutions of several rates on pretrained features, refined with finer maps: accurate on photos. Can start from ImageNet.</source>
        <translation>Convoluções dilatadas com várias taxas sobre características pré-treinadas, refinadas com mapas mais finos: precisa em fotografias. Pode partir da ImageNet.</translation>
    </message>
    <message>
        <source>Dilation</source>
        <translation>Dilatação</translation>
    </message>
    <message>
        <source>Disk of the workspace</source>
        <translation>Disco do espaço de trabalho</translation>
    </message>
    <message>
        <source>Disk space for cached image features, used by baselines and maps.</source>
        <translation>Espaço em disco para características de imagens em cache, usadas por linhas de base e mapas.</translation>
    </message>
    <message>
        <source>Display libraries</source>
        <translation>Bibliotecas gráficas</translation>
    </message>
    <message>
        <source>Distance between the pixels of the window; more than 1 needs stride 1.</source>
        <translation>Distância entre os pixels da janela; mais de 1 exige passo 1.</translation>
    </message>
    <message>
        <source>Divide by the deviation of gradients instead of their size.</source>
        <translation>Dividir pelo desvio dos gradientes em vez do tamanho deles.</translation>
    </message>
    <message>
        <source>Divide by the largest mean so far, so that steps never grow again.</source>
        <translation>Dividir pela maior média até o momento, para que os passos nunca voltem a crescer.</translation>
    </message>
    <message>
        <source>Divides each gradient by its moving average; robust for recurrent layers.</source>
        <translation>Divide cada gradiente pela sua média móvel; robusto para camadas recorrentes.</translation>
    </message>
    <message>
        <source>Do not use records of this workspace that you do not trust.</source>
        <translation>Não use registros deste espaço de trabalho em que você não confia.</translation>
    </message>
    <message>
        <source>Do one.</source>
        <translation>Faça um deles.</translation>
    </message>
    <message>
        <source>Does not affect the time; it only has to keep the numbers finite.</source>
        <translation>Não afeta o tempo; só precisa manter os números finitos.</translation>
    </message>
    <message>
        <source>Does the work of a plain convolution with a fraction of its weights.</source>
        <translation>Faz o trabalho de uma convolução comum com uma fração dos pesos.</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Pronto</translation>
    </message>
    <message>
        <source>Dotted name of the field.</source>
        <translation>Nome do campo, com pontos.</translation>
    </message>
    <message>
        <source>Double them where the image is halved. The shortcut adapts automatically.</source>
        <translation>Dobre-os onde a imagem é reduzida à metade. O atalho se adapta automaticamente.</translation>
    </message>
    <message>
        <source>Doubt labels</source>
        <translation>Duvidar dos rótulos</translation>
    </message>
    <message>
        <source>Download it again, and keep the names of its files.</source>
        <translation>Baixe de novo, e mantenha os nomes dos arquivos.</translation>
    </message>
    <message>
        <source>Download it elsewhere and name the file, or put it into the folder of weights.</source>
        <translation>Baixe em outro lugar e indique o arquivo, ou ponha-o na pasta dos pesos.</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Baixando</translation>
    </message>
    <message>
        <source>Downloading {dataset}</source>
        <translation>Baixando {dataset}</translation>
    </message>
    <message>
        <source>Downloading {file}</source>
        <translation>Baixando {file}</translation>
    </message>
    <message>
        <source>Draw or remove wires.</source>
        <translation>Desenhe ou remova ligações.</translation>
    </message>
    <message>
        <source>Draw the wire somewhere else.</source>
        <translation>Desenhe a ligação em outro lugar.</translation>
    </message>
    <message>
        <source>Drawing intervals</source>
        <translation>Sorteando intervalos</translation>
    </message>
    <message>
        <source>Drawing shapes</source>
        <translation>Desenhando formas</translation>
    </message>
    <message>
        <source>Drawing the map</source>
        <translation>Desenhando o mapa</translation>
    </message>
    <message>
        <source>Drawings or scans of {size} pixels, {images}: {network} suits them.</source>
        <translation>Desenhos ou digitalizações de {size} pixels, {images}: {network} é adequada.</translation>
    </message>
    <message>
        <source>Drawn network</source>
        <translation>Rede desenhada</translation>
    </message>
    <message>
        <source>Drawn networks</source>
        <translation>Redes desenhadas</translation>
    </message>
    <message>
        <source>Drawn shapes</source>
        <translation>Formas desenhadas</translation>
    </message>
    <message>
        <source>Drawn shapes: masks</source>
        <translation>Formas desenhadas: máscaras</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>ELU</source>
        <translation>ELU</translation>
    </message>
    <message>
        <source>Each file names its picture as imagePath, relative to itself.</source>
        <translation>Cada arquivo indica sua imagem em imagePath, relativa a si mesmo.</translation>
    </message>
    <message>
        <source>Each layer must receive one tensor or one list of tensors.</source>
        <translation>Cada camada deve receber um tensor ou uma lista de tensores.</translation>
    </message>
    <message>
        <source>Each level sees twice as far: 3 for small tiles, 5 for large objects.</source>
        <translation>Cada nível enxerga duas vezes mais longe: 3 para recortes pequenos, 5 para objetos grandes.</translation>
    </message>
    <message>
        <source>Each line holds a path and a label; relative paths start at the list's folder, or at the prefix.</source>
        <translation>Cada linha contém um caminho e um rótulo; caminhos relativos partem da pasta da lista, ou do prefixo.</translation>
    </message>
    <message>
        <source>Each restart can escape a poor solution, but every round needs enough epochs; 2 to 4 are enough.</source>
        <translation>Cada reinício pode escapar de uma solução ruim, mas cada rodada precisa de épocas suficientes; 2 a 4 bastam.</translation>
    </message>
    <message>
        <source>Each snapshot is as large as the model.</source>
        <translation>Cada cópia é tão grande quanto o modelo.</translation>
    </message>
    <message>
        <source>Each stage halves the image; stop at 4 to 8 pixels.</source>
        <translation>Cada estágio reduz a imagem à metade; pare em 4 a 8 pixels.</translation>
    </message>
    <message>
        <source>Each training uses one device, and of other jobs one of each kind runs at a time. A limit leaves more of the machine to other programs.</source>
        <translation>Cada treino usa um dispositivo, e dos demais trabalhos um de cada tipo é executado por vez. Um limite deixa mais da máquina para outros programas.</translation>
    </message>
    <message>
        <source>Early end</source>
        <translation>Fim antecipado</translation>
    </message>
    <message>
        <source>Early layers have fine maps with edges and colors; late ones have coarse maps of objects and parts.</source>
        <translation>As primeiras camadas têm mapas finos, com bordas e cores; as últimas têm mapas grosseiros de objetos e partes.</translation>
    </message>
    <message>
        <source>Early stopping patience</source>
        <translation>Paciência da parada antecipada</translation>
    </message>
    <message>
        <source>Early termination of trials that perform worse than others.</source>
        <translation>Encerramento antecipado de tentativas com desempenho pior que as outras.</translation>
    </message>
    <message>
        <source>EfficientNet-B0</source>
        <translation>EfficientNet-B0</translation>
    </message>
    <message>
        <source>EfficientNet-B1</source>
        <translation>EfficientNet-B1</translation>
    </message>
    <message>
        <source>EfficientNet-B2</source>
        <translation>EfficientNet-B2</translation>
    </message>
    <message>
        <source>EfficientNet-B3</source>
        <translation>EfficientNet-B3</translation>
    </message>
    <message>
        <source>EfficientNet-B4</source>
        <translation>EfficientNet-B4</translation>
    </message>
    <message>
        <source>EfficientNet-B5</source>
        <translation>EfficientNet-B5</translation>
    </message>
    <message>
        <source>EfficientNet-B6</source>
        <translation>EfficientNet-B6</translation>
    </message>
    <message>
        <source>EfficientNet-B7</source>
        <translation>EfficientNet-B7</translation>
    </message>
    <message>
        <source>EfficientNetV2-B0</source>
        <translation>EfficientNetV2-B0</translation>
    </message>
    <message>
        <source>EfficientNetV2-B1</source>
        <translation>EfficientNetV2-B1</translation>
    </message>
    <message>
        <source>EfficientNetV2-B2</source>
        <translation>EfficientNetV2-B2</translation>
    </message>
    <message>
        <source>EfficientNetV2-B3</source>
        <translation>EfficientNetV2-B3</translation>
    </message>
    <message>
        <source>EfficientNetV2-L</source>
        <translation>EfficientNetV2-L</translation>
    </message>
    <message>
        <source>EfficientNetV2-M</source>
        <translation>EfficientNetV2-M</translation>
    </message>
    <message>
        <source>EfficientNetV2-S</source>
        <translation>EfficientNetV2-S</translation>
    </message>
    <message>
        <source>Element-wise maximum of all branches.</source>
        <translation>Máximo de todos os ramos, elemento a elemento.</translation>
    </message>
    <message>
        <source>Element-wise mean of all branches.</source>
        <translation>Média de todos os ramos, elemento a elemento.</translation>
    </message>
    <message>
        <source>Element-wise minimum of all branches.</source>
        <translation>Mínimo de todos os ramos, elemento a elemento.</translation>
    </message>
    <message>
        <source>Embeddings use Adam.</source>
        <translation>Embeddings usam Adam.</translation>
    </message>
    <message>
        <source>Empty masks</source>
        <translation>Máscaras vazias</translation>
    </message>
    <message>
        <source>Empty: 255 in masks of class indexes. Such pixels count neither in training nor in metrics.</source>
        <translation>Vazio: 255 em máscaras de índices de classes. Esses pixels não contam no treino nem nas métricas.</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>Codificação</translation>
    </message>
    <message>
        <source>End in a convolution of {filters} filters with the activation {activation}, at the size of the images.</source>
        <translation>Termine com uma convolução de {filters} filtros com a ativação {activation}, no tamanho das imagens.</translation>
    </message>
    <message>
        <source>End in a dense layer of {classes} units, after flatten or global pooling.</source>
        <translation>Termine em uma camada densa de {classes} unidades, depois de achatar ou do pooling global.</translation>
    </message>
    <message>
        <source>End in a dense layer of {units} units with the activation {activation}.</source>
        <translation>Termine em uma camada densa de {units} unidades com a ativação {activation}.</translation>
    </message>
    <message>
        <source>End in a softmax over one map per class, as large as the images. The layer "Resize like" scales maps to the size of the input.</source>
        <translation>Termine em um softmax sobre um mapa por classe, do tamanho das imagens. A camada "Redimensionar como" leva os mapas ao tamanho da entrada.</translation>
    </message>
    <message>
        <source>End it in a layer of {classes} units or filters.</source>
        <translation>Termine-a em uma camada de {classes} unidades ou filtros.</translation>
    </message>
    <message>
        <source>End it in a softmax and train it again.</source>
        <translation>Faça-o terminar em softmax e treine-o novamente.</translation>
    </message>
    <message>
        <source>Enlarges the image with learned weights.</source>
        <translation>Amplia a imagem com pesos aprendidos.</translation>
    </message>
    <message>
        <source>Enlarges the image.</source>
        <translation>Amplia a imagem.</translation>
    </message>
    <message>
        <source>Enlarges the receptive field at the same cost without reducing the image.</source>
        <translation>Aumenta o campo receptivo pelo mesmo custo, sem reduzir a imagem.</translation>
    </message>
    <message>
        <source>Enter another number.</source>
        <translation>Digite outro número.</translation>
    </message>
    <message>
        <source>Enter the name with its extension to replace it.</source>
        <translation>Digite o nome com a extensão para substituí-lo.</translation>
    </message>
    <message>
        <source>Epoch of a stored checkpoint; empty for the final model.</source>
        <translation>Época de um checkpoint salvo; vazio para o modelo final.</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Épocas</translation>
    </message>
    <message>
        <source>Epochs between stored copies of the weights, 0.5 is two per epoch; 0 is off.</source>
        <translation>Épocas entre cópias guardadas dos pesos, 0,5 são duas por época; 0 desliga.</translation>
    </message>
    <message>
        <source>Epochs between validations; 0.5 validates twice per epoch.</source>
        <translation>Épocas entre validações; 0,5 valida duas vezes por época.</translation>
    </message>
    <message>
        <source>Epochs per cell.</source>
        <translation>Épocas por célula.</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Épsilon</translation>
    </message>
    <message>
        <source>Epsilon 1</source>
        <translation>Épsilon 1</translation>
    </message>
    <message>
        <source>Epsilon 2</source>
        <translation>Épsilon 2</translation>
    </message>
    <message>
        <source>Erasing</source>
        <translation>Apagamento</translation>
    </message>
    <message>
        <source>Evaluate again.</source>
        <translation>Avalie de novo.</translation>
    </message>
    <message>
        <source>Evaluate both models on the same split of the same dataset.</source>
        <translation>Avalie os dois modelos na mesma divisão do mesmo conjunto de dados.</translation>
    </message>
    <message>
        <source>Evaluate both on the same split.</source>
        <translation>Avalie ambos na mesma divisão.</translation>
    </message>
    <message>
        <source>Evaluate on a dataset with the classes that the model was trained on.</source>
        <translation>Avalie em um conjunto de dados com as classes com que o modelo foi treinado.</translation>
    </message>
    <message>
        <source>Evaluate the run again.</source>
        <translation>Avalie o treino de novo.</translation>
    </message>
    <message>
        <source>Everingham et al., The Pascal Visual Object Classes Challenge, IJCV 2010</source>
        <translation>Everingham et al., The Pascal Visual Object Classes Challenge, IJCV 2010</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>A cada</translation>
    </message>
    <message>
        <source>Every image needs a valid label.</source>
        <translation>Cada imagem precisa de um rótulo válido.</translation>
    </message>
    <message>
        <source>Every output is a weighted sum of all inputs.</source>
        <translation>Cada saída é uma soma ponderada de todas as entradas.</translation>
    </message>
    <message>
        <source>Every source needs a column for each quantity of the first.</source>
        <translation>Cada fonte precisa de uma coluna para cada grandeza da primeira.</translation>
    </message>
    <message>
        <source>Every step</source>
        <translation>Cada passo</translation>
    </message>
    <message>
        <source>Exact duplicates</source>
        <translation>Duplicatas exatas</translation>
    </message>
    <message>
        <source>Exact duplicates: {count:,}, of these identical files: {same:,}.</source>
        <translation>Duplicatas exatas: {count:,}; destas, arquivos idênticos: {same:,}.</translation>
    </message>
    <message>
        <source>Exponent of the decay by the sum of squared gradients; 0 keeps the rate constant.</source>
        <translation>Expoente da soma de quadrados pela qual a taxa diminui; 0 a mantém constante.</translation>
    </message>
    <message>
        <source>Exponential</source>
        <translation>Exponencial</translation>
    </message>
    <message>
        <source>Export it again.</source>
        <translation>Exporte de novo.</translation>
    </message>
    <message>
        <source>Export it as Keras: that file holds both.</source>
        <translation>Exporte como Keras: esse arquivo contém os dois.</translation>
    </message>
    <message>
        <source>Export it as weights or keras.</source>
        <translation>Exporte como weights ou keras.</translation>
    </message>
    <message>
        <source>Export it in another precision.</source>
        <translation>Exporte em outra precisão.</translation>
    </message>
    <message>
        <source>Export the model again, or move the model file away from it.</source>
        <translation>Exporte o modelo de novo, ou tire o arquivo do modelo de perto dela.</translation>
    </message>
    <message>
        <source>Extend a run that is completed.</source>
        <translation>Estenda um treino concluído.</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>F1 macro</source>
        <translation>F1 macro</translation>
    </message>
    <message>
        <source>F1 micro</source>
        <translation>F1 micro</translation>
    </message>
    <message>
        <source>F1 of all labels of all images together, at a threshold of 0.5.</source>
        <translation>F1 de todos os rótulos de todas as imagens juntos, com limiar 0,5.</translation>
    </message>
    <message>
        <source>F1 of the boundary pixels that lie within 0.75 % of the diagonal of the other boundary, the mean over the images with the class.</source>
        <translation>F1 dos pixels de borda a até 0,75 % da diagonal da outra borda, média das imagens com a classe.</translation>
    </message>
    <message>
        <source>FTRL</source>
        <translation>FTRL</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>Fator</translation>
    </message>
    <message>
        <source>Factor by which the learning rate is reduced on a plateau.</source>
        <translation>Fator pelo qual a taxa de aprendizado é reduzida em um platô.</translation>
    </message>
    <message>
        <source>Factor for every channel, separated by commas.</source>
        <translation>Fator para cada canal, separados por vírgulas.</translation>
    </message>
    <message>
        <source>Factor for every pixel; 1/255 takes 0..255 to 0..1.</source>
        <translation>Fator para cada pixel; 1/255 leva 0..255 a 0..1.</translation>
    </message>
    <message>
        <source>Factor for negative values.</source>
        <translation>Fator dos valores negativos.</translation>
    </message>
    <message>
        <source>Factor of each reduction.</source>
        <translation>Fator de cada redução.</translation>
    </message>
    <message>
        <source>Factor of the highest rate in each new round.</source>
        <translation>Fator da taxa mais alta em cada nova rodada.</translation>
    </message>
    <message>
        <source>Factor of the learning rate for all layers except the head.</source>
        <translation>Fator da taxa de aprendizado para todas as camadas, exceto a cabeça.</translation>
    </message>
    <message>
        <source>Factor of the learning rate for the head.</source>
        <translation>Fator da taxa de aprendizado para a cabeça.</translation>
    </message>
    <message>
        <source>Factor of the learning rate for the rest.</source>
        <translation>Fator da taxa de aprendizado para o resto.</translation>
    </message>
    <message>
        <source>Factor of the rate per percent of training.</source>
        <translation>Fator da taxa a cada 1 % do treino.</translation>
    </message>
    <message>
        <source>Far fewer training images than others: {count:,}; "{class_name}" has {fewest:,}, "{largest_class}" has {most:,}.</source>
        <translation>Com muito menos imagens de treino que as outras: {count:,}; "{class_name}" tem {fewest:,}, "{largest_class}" tem {most:,}.</translation>
    </message>
    <message>
        <source>Fashion-MNIST</source>
        <translation>Fashion-MNIST</translation>
    </message>
    <message>
        <source>Feature cache</source>
        <translation>Cache de características</translation>
    </message>
    <message>
        <source>Few are enough here: the middle is wide.</source>
        <translation>Poucos bastam aqui: o meio é largo.</translation>
    </message>
    <message>
        <source>Few input channels and windows of two sizes: very few weights.</source>
        <translation>Poucos canais de entrada e janelas de dois tamanhos: pouquíssimos pesos.</translation>
    </message>
    <message>
        <source>Fewer bits make files smaller and often faster; here you see by how much.</source>
        <translation>Menos bits deixam os arquivos menores e muitas vezes mais rápidos; aqui você vê quanto.</translation>
    </message>
    <message>
        <source>Fewer channels first</source>
        <translation>Menos canais primeiro</translation>
    </message>
    <message>
        <source>Fewer images are faster and less certain; a few hundred per class are enough.</source>
        <translation>Menos imagens são mais rápidas e menos precisas; algumas centenas por classe bastam.</translation>
    </message>
    <message>
        <source>Fewer make a smaller network; about an eighth of the outputs is usual.</source>
        <translation>Menos fazem uma rede menor; cerca de um oitavo das saídas é o usual.</translation>
    </message>
    <message>
        <source>Fewer make the costly 3x3 windows cheaper; half to two thirds of their filters is usual.</source>
        <translation>Menos tornam mais baratas as janelas 3x3, que custam muito; de metade a dois terços dos filtros delas é o usual.</translation>
    </message>
    <message>
        <source>Fewer make the very costly 5x5 windows cheaper; about a half of their filters is usual.</source>
        <translation>Menos tornam mais baratas as janelas 5x5, que custam muitíssimo; cerca de metade dos filtros delas é o usual.</translation>
    </message>
    <message>
        <source>Fewer threads leave room for other programs.</source>
        <translation>Menos threads deixam espaço para outros programas.</translation>
    </message>
    <message>
        <source>Fewest per class</source>
        <translation>Mínimo por classe</translation>
    </message>
    <message>
        <source>Fewest test</source>
        <translation>Mínimo de teste</translation>
    </message>
    <message>
        <source>Fewest validation</source>
        <translation>Mínimo de validação</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>Campo</translation>
    </message>
    <message>
        <source>Fifth coefficient</source>
        <translation>Quinto coeficiente</translation>
    </message>
    <message>
        <source>Files left out</source>
        <translation>Arquivos deixados de fora</translation>
    </message>
    <message>
        <source>Files skipped by the import: {count:,}; the first is {path} ({reason}).</source>
        <translation>Arquivos ignorados pela importação: {count:,}; o primeiro é {path} ({reason}).</translation>
    </message>
    <message>
        <source>Files with a side below {limit:.0f} pixels, where {usual:.0f} are usual: {count:,}.</source>
        <translation>Arquivos com um lado abaixo de {limit:.0f} pixels, onde {usual:.0f} são usuais: {count:,}.</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>Preenchimento</translation>
    </message>
    <message>
        <source>Fill of the empty areas around a transformed image.</source>
        <translation>Preenchimento das áreas vazias em torno de uma imagem transformada.</translation>
    </message>
    <message>
        <source>Fill the border</source>
        <translation>Preencher a borda</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filtros</translation>
    </message>
    <message>
        <source>Filters of each of the two expanding convolutions; the output has twice as many. Four times the squeezed ones is common.</source>
        <translation>Filtros de cada uma das duas convoluções de expansão; a saída tem o dobro. Quatro vezes os comprimidos é comum.</translation>
    </message>
    <message>
        <source>Filters of the branch of 1x1 windows.</source>
        <translation>Filtros do ramo das janelas 1x1.</translation>
    </message>
    <message>
        <source>Filters of the branch of 3x3 windows.</source>
        <translation>Filtros do ramo das janelas 3x3.</translation>
    </message>
    <message>
        <source>Filters of the branch of 5x5 windows.</source>
        <translation>Filtros do ramo das janelas 5x5.</translation>
    </message>
    <message>
        <source>Filters of the branch of pooling.</source>
        <translation>Filtros do ramo do pooling.</translation>
    </message>
    <message>
        <source>Filters of the convolution.</source>
        <translation>Filtros da convolução.</translation>
    </message>
    <message>
        <source>Filters per branch</source>
        <translation>Filtros por ramo</translation>
    </message>
    <message>
        <source>Filters per channel</source>
        <translation>Filtros por canal</translation>
    </message>
    <message>
        <source>Final rate, as a fraction of the highest.</source>
        <translation>Taxa final, como fração da mais alta.</translation>
    </message>
    <message>
        <source>Final rate, as a fraction of the initial one.</source>
        <translation>Taxa final, como fração da inicial.</translation>
    </message>
    <message>
        <source>Final weights</source>
        <translation>Pesos finais</translation>
    </message>
    <message>
        <source>Find images whose class differs from the prediction of a simple classifier.</source>
        <translation>Encontrar imagens cuja classe difere da previsão de um classificador simples.</translation>
    </message>
    <message>
        <source>Find larger versions, or exclude them.</source>
        <translation>Procure versões maiores, ou deixe-as de fora.</translation>
    </message>
    <message>
        <source>Find the rate</source>
        <translation>Encontrar a taxa</translation>
    </message>
    <message>
        <source>Finds the fastest backend for your network; each must be installed.</source>
        <translation>Encontra o backend mais rápido para a sua rede; cada um precisa estar instalado.</translation>
    </message>
    <message>
        <source>Fine-tune everything</source>
        <translation>Ajuste fino de tudo</translation>
    </message>
    <message>
        <source>Fine-tune the top</source>
        <translation>Ajuste fino do topo</translation>
    </message>
    <message>
        <source>Fire</source>
        <translation>Fire</translation>
    </message>
    <message>
        <source>First coefficient</source>
        <translation>Primeiro coeficiente</translation>
    </message>
    <message>
        <source>First rate</source>
        <translation>Primeira taxa</translation>
    </message>
    <message>
        <source>First sum</source>
        <translation>Primeira soma</translation>
    </message>
    <message>
        <source>Fit images of a different aspect ratio.</source>
        <translation>Ajustar imagens com outra proporção.</translation>
    </message>
    <message>
        <source>Fit the shortcut with a 1x1 convolution.</source>
        <translation>Ajustar o atalho com uma convolução 1x1.</translation>
    </message>
    <message>
        <source>Fitting the temperature</source>
        <translation>Ajustando a temperatura</translation>
    </message>
    <message>
        <source>Fix it: {command}</source>
        <translation>Corrija: {command}</translation>
    </message>
    <message>
        <source>Flatten</source>
        <translation>Achatar</translation>
    </message>
    <message>
        <source>Flattens all values of an image into one vector.</source>
        <translation>Achata todos os valores de uma imagem em um vetor.</translation>
    </message>
    <message>
        <source>Flip left and right</source>
        <translation>Espelhar na horizontal</translation>
    </message>
    <message>
        <source>Flip upside down</source>
        <translation>Espelhar na vertical</translation>
    </message>
    <message>
        <source>Focal loss gamma</source>
        <translation>Gama da focal loss</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>Fold</translation>
    </message>
    <message>
        <source>Fold some blocks, or write the drawing as SVG.</source>
        <translation>Recolha alguns blocos, ou grave o desenho como SVG.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Pasta</translation>
    </message>
    <message>
        <source>Folder for the files.</source>
        <translation>Pasta para os arquivos.</translation>
    </message>
    <message>
        <source>Folder or file with the masks, if they are not in the image folder.</source>
        <translation>Pasta ou arquivo com as máscaras, se não estiverem na pasta das imagens.</translation>
    </message>
    <message>
        <source>Folder with one folder per class</source>
        <translation>Pasta com uma pasta por classe</translation>
    </message>
    <message>
        <source>Folder with train, val and test folders</source>
        <translation>Pasta com pastas train, val e test</translation>
    </message>
    <message>
        <source>Folders of images and masks</source>
        <translation>Pastas de imagens e máscaras</translation>
    </message>
    <message>
        <source>Folds</source>
        <translation>Folds</translation>
    </message>
    <message>
        <source>Folds for cross-validation</source>
        <translation>Folds para validação cruzada</translation>
    </message>
    <message>
        <source>Following convolutions and gates need an image.</source>
        <translation>As convoluções e portas seguintes precisam de uma imagem.</translation>
    </message>
    <message>
        <source>For example "pattern:stages=2,dense=0".</source>
        <translation>Por exemplo "pattern:stages=2,dense=0".</translation>
    </message>
    <message>
        <source>For example https://host/folder/.</source>
        <translation>Por exemplo https://host/folder/.</translation>
    </message>
    <message>
        <source>For example https://host/picture.jpg.</source>
        <translation>Por exemplo https://host/picture.jpg.</translation>
    </message>
    <message>
        <source>For example https://minio.example.org:9000.</source>
        <translation>Por exemplo https://minio.example.org:9000.</translation>
    </message>
    <message>
        <source>For example learning_rate=0.1,0.01.</source>
        <translation>Por exemplo learning_rate=0.1,0.01.</translation>
    </message>
    <message>
        <source>For few photographs and long training: mirrors, colors, erasing.</source>
        <translation>Para poucas fotografias e treino longo: espelhamentos, cores, apagamento.</translation>
    </message>
    <message>
        <source>For images that are much larger than the network input and have small details.</source>
        <translation>Para imagens muito maiores do que a entrada da rede e com detalhes pequenos.</translation>
    </message>
    <message>
        <source>For layers that Studio has no form for. Only classes that come with Keras.</source>
        <translation>Para camadas para as quais o Studio não tem formulário. Só classes que vêm com o Keras.</translation>
    </message>
    <message>
        <source>For names such as patient7_scan3.png: (patient\d+)_</source>
        <translation>Para nomes como patient7_scan3.png: (patient\d+)_</translation>
    </message>
    <message>
        <source>For published test sets, or images of another camera.</source>
        <translation>Para conjuntos de teste publicados ou imagens de outra câmera.</translation>
    </message>
    <message>
        <source>For the extra {extra}: {command}</source>
        <translation>Para o extra {extra}: {command}</translation>
    </message>
    <message>
        <source>For the run, use {prefix}{name}.</source>
        <translation>Para o treino, use {prefix}{name}.</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formatos</translation>
    </message>
    <message>
        <source>Found: {classes}.</source>
        <translation>Encontrados: {classes}.</translation>
    </message>
    <message>
        <source>Fraction of all decisions about a label of an image that are right.</source>
        <translation>Fração das decisões sobre um rótulo de uma imagem que estão certas.</translation>
    </message>
    <message>
        <source>Fraction of each label that is spread over all classes.</source>
        <translation>Fração de cada rótulo distribuída por todas as classes.</translation>
    </message>
    <message>
        <source>Fraction of images whose labels are all right.</source>
        <translation>Fração das imagens cujos rótulos estão todos certos.</translation>
    </message>
    <message>
        <source>Fraction of images whose most probable class is the right one.</source>
        <translation>Fração das imagens cuja classe mais provável é a correta.</translation>
    </message>
    <message>
        <source>Fraction of images whose right class is among the five most probable.</source>
        <translation>Fração das imagens cuja classe correta está entre as cinco mais prováveis.</translation>
    </message>
    <message>
        <source>Fraction of the images that have the label for which it is predicted.</source>
        <translation>Fração das imagens que têm o rótulo e para as quais ele é previsto.</translation>
    </message>
    <message>
        <source>Fraction of the images with the predicted label that have it.</source>
        <translation>Fração das imagens com o rótulo previsto que de fato o têm.</translation>
    </message>
    <message>
        <source>Fraction of the inputs set to zero in training.</source>
        <translation>Fração das entradas zeradas no treino.</translation>
    </message>
    <message>
        <source>Fraction of the pixels of the class that are predicted correctly.</source>
        <translation>Fração dos pixels da classe que são previstos corretamente.</translation>
    </message>
    <message>
        <source>Fraction of the pixels predicted as the class that belong to it.</source>
        <translation>Fração dos pixels previstos como a classe que pertencem a ela.</translation>
    </message>
    <message>
        <source>Fraction of the pixels whose most probable class is correct.</source>
        <translation>Fração dos pixels cuja classe mais provável é a correta.</translation>
    </message>
    <message>
        <source>Fraction of the previous step that is kept.</source>
        <translation>Fração do passo anterior que é mantida.</translation>
    </message>
    <message>
        <source>Fraction of the recurrent state set to zero in training.</source>
        <translation>Fração do estado recorrente zerada no treino.</translation>
    </message>
    <message>
        <source>Fraction of the values set to zero in training, after each hidden dense layer.</source>
        <translation>Fração dos valores zerados no treino, depois de cada camada densa oculta.</translation>
    </message>
    <message>
        <source>Fraction of the values set to zero in training.</source>
        <translation>Fração dos valores zerados no treino.</translation>
    </message>
    <message>
        <source>Fraction of the variance of the targets that is explained: 1 is perfect, 0 is as good as always predicting the mean.</source>
        <translation>Fração da variância dos alvos que é explicada: 1 é perfeito, 0 equivale a prever sempre a média.</translation>
    </message>
    <message>
        <source>Fraction of training between two reductions of the rate.</source>
        <translation>Fração do treino entre duas reduções da taxa.</translation>
    </message>
    <message>
        <source>Fraction of training in which the rate increases.</source>
        <translation>Fração do treino em que a taxa sobe.</translation>
    </message>
    <message>
        <source>Framework for the computation; it must be installed.</source>
        <translation>Framework usado no cálculo; precisa estar instalado.</translation>
    </message>
    <message>
        <source>Framework to measure.</source>
        <translation>Framework a medir.</translation>
    </message>
    <message>
        <source>Free some disk space, or save the picture as a file and drop that.</source>
        <translation>Libere espaço no disco, ou salve a imagem como arquivo e solte-o.</translation>
    </message>
    <message>
        <source>Free some disk space.</source>
        <translation>Libere espaço no disco.</translation>
    </message>
    <message>
        <source>Free some space, choose smaller images, or use a workspace on another disk.</source>
        <translation>Libere espaço, escolha imagens menores, ou use um espaço de trabalho em outro disco.</translation>
    </message>
    <message>
        <source>Free some space, or choose a workspace on another disk, then try again.</source>
        <translation>Libere espaço, ou escolha um espaço de trabalho em outro disco, e tente de novo.</translation>
    </message>
    <message>
        <source>Freeze "{freeze}", or let the gradient train the head.</source>
        <translation>Congele "{freeze}", ou deixe o gradiente treinar a cabeça.</translation>
    </message>
    <message>
        <source>Freeze all with few images; thaw the last blocks with more. Early layers see edges and colors, which are the same everywhere.</source>
        <translation>Congele tudo com poucas imagens; descongele os últimos blocos com mais. As primeiras camadas veem bordas e cores, que são iguais em todo lugar.</translation>
    </message>
    <message>
        <source>Freeze layers</source>
        <translation>Congelar camadas</translation>
    </message>
    <message>
        <source>Freeze the layers that should not change.</source>
        <translation>Congele as camadas que não devem mudar.</translation>
    </message>
    <message>
        <source>Frequency of the reductions.</source>
        <translation>Frequência das reduções.</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>From epoch {first} to {last} training {loss:lower} fell from {before} to {now}, with validation {score} all the time.</source>
        <translation>Da época {first} à {last}, {loss:lower} no treino caiu de {before} para {now}, sempre com {score} na validação.</translation>
    </message>
    <message>
        <source>From epoch {first} to {last} training {loss:lower} stayed near {value} and training {score}.</source>
        <translation>Da época {first} à {last}, {loss:lower} no treino ficou perto de {value}, e {score} no treino.</translation>
    </message>
    <message>
        <source>From epoch {first} to {last} training {loss:lower} stayed near {value} and validation {score}.</source>
        <translation>Da época {first} à {last}, {loss:lower} no treino ficou perto de {value}, e {score} na validação.</translation>
    </message>
    <message>
        <source>From epoch {first} to {last} training {loss:lower} stayed near {value}.</source>
        <translation>Da época {first} à {last}, {loss:lower} no treino ficou perto de {value}.</translation>
    </message>
    <message>
        <source>From epoch {first} to {last} validation {score} did not rise ({loss:lower} {validation_loss}), while training reached {training_score} ({loss:lower} {training_loss}).</source>
        <translation>Da época {first} à {last} a validação não subiu: {score} ({loss:lower} {validation_loss}), enquanto o treino alcançou {training_score} ({loss:lower} {training_loss}).</translation>
    </message>
    <message>
        <source>From step {step} on the learning rate is {learning_rate:g}.</source>
        <translation>Do passo {step} em diante, a taxa de aprendizado é {learning_rate:g}.</translation>
    </message>
    <message>
        <source>From {before} to {after} epochs.</source>
        <translation>De {before} para {after} épocas.</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>Congelada</translation>
    </message>
    <message>
        <source>Frozen layers keep what they learned and need no gradients. Unfreeze some when your images look different.</source>
        <translation>Camadas congeladas mantêm o que aprenderam e não precisam de gradientes. Descongele algumas quando suas imagens forem diferentes.</translation>
    </message>
    <message>
        <source>Frozen up to</source>
        <translation>Congelado até</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Função</translation>
    </message>
    <message>
        <source>Function applied to every output.</source>
        <translation>Função aplicada a cada saída.</translation>
    </message>
    <message>
        <source>Function applied to every value.</source>
        <translation>Função aplicada a cada valor.</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>GELU</source>
        <translation>GELU</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>Memória da GPU</translation>
    </message>
    <message>
        <source>GRU</source>
        <translation>GRU</translation>
    </message>
    <message>
        <source>Gaussian noise</source>
        <translation>Ruído gaussiano</translation>
    </message>
    <message>
        <source>Gaussian process (Bayesian)</source>
        <translation>Processo gaussiano (bayesiano)</translation>
    </message>
    <message>
        <source>Gaussian processes need PyTorch, which is not installed.</source>
        <translation>Processos gaussianos precisam do PyTorch, que não está instalado.</translation>
    </message>
    <message>
        <source>Give a CSV file with a column of paths and columns of targets, a Parquet table, arrays (HDF5, NPZ), or a dataset of this task.</source>
        <translation>Informe um arquivo CSV com uma coluna de caminhos e colunas de alvos, uma tabela Parquet, arrays (HDF5, NPZ) ou um conjunto de dados desta tarefa.</translation>
    </message>
    <message>
        <source>Give all its values at once.</source>
        <translation>Dê todos os valores de uma vez.</translation>
    </message>
    <message>
        <source>Give an image of one pixel instead of a row of channels.</source>
        <translation>Dar uma imagem de um pixel em vez de uma linha de canais.</translation>
    </message>
    <message>
        <source>Give classes with few images more weight in the loss.</source>
        <translation>Dê mais peso na perda às classes com poucas imagens.</translation>
    </message>
    <message>
        <source>Give each class a different color.</source>
        <translation>Dê uma cor diferente a cada classe.</translation>
    </message>
    <message>
        <source>Give each class a different name.</source>
        <translation>Dê um nome diferente a cada classe.</translation>
    </message>
    <message>
        <source>Give each class one name and one color.</source>
        <translation>Dê a cada classe um nome e uma cor.</translation>
    </message>
    <message>
        <source>Give its values.</source>
        <translation>Dê os valores.</translation>
    </message>
    <message>
        <source>Give one for each class, the background first.</source>
        <translation>Informe um valor para cada classe, o fundo primeiro.</translation>
    </message>
    <message>
        <source>Give pixels of rare classes a higher weight and add the Dice loss. If that does not help, train longer or with a higher learning rate.</source>
        <translation>Dê mais peso aos pixels de classes raras e adicione a perda Dice. Se isso não ajudar, treine por mais tempo ou com uma taxa de aprendizado maior.</translation>
    </message>
    <message>
        <source>Give ranges such as 0.001..0.1, or choose tpe.</source>
        <translation>Dê intervalos como 0.001..0.1, ou escolha tpe.</translation>
    </message>
    <message>
        <source>Give rare classes more weight in the loss, which is dominated by frequent ones.</source>
        <translation>Dê mais peso às classes raras na perda, que é dominada pelas frequentes.</translation>
    </message>
    <message>
        <source>Give the color of each class too, or leave the names out.</source>
        <translation>Informe também a cor de cada classe, ou omita os nomes.</translation>
    </message>
    <message>
        <source>Give these pictures another class, or add them to another dataset.</source>
        <translation>Dê a estas imagens outra classe, ou adicione-as a outro conjunto de dados.</translation>
    </message>
    <message>
        <source>Give values, trials or hours.</source>
        <translation>Dê valores, tentativas ou horas.</translation>
    </message>
    <message>
        <source>Global average pooling</source>
        <translation>Average pooling global</translation>
    </message>
    <message>
        <source>Global max pooling</source>
        <translation>Max pooling global</translation>
    </message>
    <message>
        <source>Global pooling</source>
        <translation>Pooling global</translation>
    </message>
    <message>
        <source>Glorot, normal</source>
        <translation>Glorot, normal</translation>
    </message>
    <message>
        <source>Glorot, uniform</source>
        <translation>Glorot, uniforme</translation>
    </message>
    <message>
        <source>Google Drive</source>
        <translation>Google Drive</translation>
    </message>
    <message>
        <source>Grad-CAM cannot use the layer "{layer}": its output is not a feature map.</source>
        <translation>O Grad-CAM não pode usar a camada "{layer}": a saída não é um mapa de características.</translation>
    </message>
    <message>
        <source>Grad-CAM needs a convolution, and this network has none.</source>
        <translation>O Grad-CAM precisa de uma convolução, e esta rede não tem nenhuma.</translation>
    </message>
    <message>
        <source>Gradient accumulation</source>
        <translation>Acúmulo de gradientes</translation>
    </message>
    <message>
        <source>Gradient descent</source>
        <translation>Gradiente descendente</translation>
    </message>
    <message>
        <source>Gradient descent does not use it</source>
        <translation>A descida do gradiente não o usa</translation>
    </message>
    <message>
        <source>Gray</source>
        <translation>Cinza</translation>
    </message>
    <message>
        <source>Grid: every combination</source>
        <translation>Grade: todas as combinações</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Grupo</translation>
    </message>
    <message>
        <source>Group normalization</source>
        <translation>Normalização por grupos</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Grupos</translation>
    </message>
    <message>
        <source>Groups of channels that are convolved apart; channels and filters must divide.</source>
        <translation>Grupos de canais que são convoluídos à parte; canais e filtros precisam ser divisíveis.</translation>
    </message>
    <message>
        <source>Groups that appear with two seeds are real.</source>
        <translation>Grupos que aparecem com duas sementes são reais.</translation>
    </message>
    <message>
        <source>Growth</source>
        <translation>Crescimento</translation>
    </message>
    <message>
        <source>HDF5 arrays (.h5, .hdf5)</source>
        <translation>Arrays HDF5 (.h5, .hdf5)</translation>
    </message>
    <message>
        <source>Half crop, half fill</source>
        <translation>Meio corte, meio preenchimento</translation>
    </message>
    <message>
        <source>Half the memory and twice the speed on recent GPUs; rarely faster on a CPU.</source>
        <translation>Metade da memória e o dobro da velocidade em GPUs recentes; raramente mais rápido em CPU.</translation>
    </message>
    <message>
        <source>Halve the image after every stage.</source>
        <translation>Reduzir a imagem à metade depois de cada estágio.</translation>
    </message>
    <message>
        <source>Handcrafted features already reach {accuracy}, so a small network can learn this from scratch.</source>
        <translation>Características manuais já alcançam {accuracy}; por isso uma rede pequena pode aprender isto do zero.</translation>
    </message>
    <message>
        <source>Handwritten digits</source>
        <translation>Dígitos manuscritos</translation>
    </message>
    <message>
        <source>Handwritten digits: numbers</source>
        <translation>Dígitos manuscritos: números</translation>
    </message>
    <message>
        <source>Handwritten digits: several labels</source>
        <translation>Dígitos manuscritos: vários rótulos</translation>
    </message>
    <message>
        <source>Hard sigmoid</source>
        <translation>Hard sigmoid</translation>
    </message>
    <message>
        <source>Hard swish</source>
        <translation>Hard swish</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>Hardware</translation>
    </message>
    <message>
        <source>Harmonic mean of precision and recall.</source>
        <translation>Média harmônica de precisão e revocação.</translation>
    </message>
    <message>
        <source>Has the effect of a larger batch with the memory of a small one.</source>
        <translation>Tem o efeito de um lote maior com a memória de um pequeno.</translation>
    </message>
    <message>
        <source>He suits ReLU; Glorot and LeCun suit tanh and softmax.</source>
        <translation>He combina com ReLU; Glorot e LeCun, com tanh e softmax.</translation>
    </message>
    <message>
        <source>He, normal</source>
        <translation>He, normal</translation>
    </message>
    <message>
        <source>He, uniform</source>
        <translation>He, uniforme</translation>
    </message>
    <message>
        <source>Head learning rate</source>
        <translation>Taxa de aprendizado da cabeça</translation>
    </message>
    <message>
        <source>Head regularization (C)</source>
        <translation>Regularização da cabeça (C)</translation>
    </message>
    <message>
        <source>Head solver</source>
        <translation>Método da cabeça</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Altura</translation>
    </message>
    <message>
        <source>Height and width: one slope per channel</source>
        <translation>Altura e largura: uma inclinação por canal</translation>
    </message>
    <message>
        <source>Height of every image after import.</source>
        <translation>Altura de cada imagem depois da importação.</translation>
    </message>
    <message>
        <source>Height of the mean.</source>
        <translation>Altura da média.</translation>
    </message>
    <message>
        <source>Height of the output.</source>
        <translation>Altura da saída.</translation>
    </message>
    <message>
        <source>Height only</source>
        <translation>Só a altura</translation>
    </message>
    <message>
        <source>Hidden dense layers before the last one (K).</source>
        <translation>Camadas densas ocultas antes da última (K).</translation>
    </message>
    <message>
        <source>Higher values decrease sooner; 0.1 with a power of 0.5 leaves a third of the rate at the end.</source>
        <translation>Valores maiores reduzem a taxa antes; 0,1 com potência 0,5 deixa um terço da taxa no fim.</translation>
    </message>
    <message>
        <source>Hours after which no new trial starts.</source>
        <translation>Horas após as quais nenhuma nova tentativa começa.</translation>
    </message>
    <message>
        <source>How often the image is halved.</source>
        <translation>Quantas vezes a imagem é reduzida à metade.</translation>
    </message>
    <message>
        <source>How the head is trained. The closed-form solvers replace it with a linear model, in seconds.</source>
        <translation>Como a cabeça é treinada. Os métodos diretos a substituem por um modelo linear, em segundos.</translation>
    </message>
    <message>
        <source>How the learning rate changes during training.</source>
        <translation>Como a taxa de aprendizado muda durante o treino.</translation>
    </message>
    <message>
        <source>How the pixel values of mask files encode classes.</source>
        <translation>Como os valores dos pixels dos arquivos de máscara codificam as classes.</translation>
    </message>
    <message>
        <source>How to compensate for imbalanced classes.</source>
        <translation>Como compensar classes desbalanceadas.</translation>
    </message>
    <message>
        <source>Hue</source>
        <translation>Matiz</translation>
    </message>
    <message>
        <source>Hyperband</source>
        <translation>Hyperband</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>Id of the dataset; empty for the one that the run was trained on.</source>
        <translation>Id do conjunto de dados; vazio para aquele com que o treino aprendeu.</translation>
    </message>
    <message>
        <source>Id of the run to evaluate; empty for a model file.</source>
        <translation>Id do treino a avaliar; vazio para um arquivo de modelo.</translation>
    </message>
    <message>
        <source>If a class has ten times as many images as another, the small one is easily ignored. Images with several labels are sampled by their rarest label.</source>
        <translation>Se uma classe tem dez vezes mais imagens que outra, a menor é facilmente ignorada. Imagens com vários rótulos são amostradas pelo mais raro.</translation>
    </message>
    <message>
        <source>If the images are already split, or images of one day or patient must stay together.</source>
        <translation>Se as imagens já estão divididas, ou se imagens de um dia ou paciente devem ficar juntas.</translation>
    </message>
    <message>
        <source>Ignore value</source>
        <translation>Valor ignorado</translation>
    </message>
    <message>
        <source>Image number {number} could not be read by the import.</source>
        <translation>A imagem número {number} não pôde ser lida pela importação.</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>Tamanho da imagem</translation>
    </message>
    <message>
        <source>ImageNet weights available: {figures}.</source>
        <translation>Pesos ImageNet disponíveis: {figures}.</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Images and labels must lie in one folder under their usual names.</source>
        <translation>Imagens e rótulos precisam estar em uma só pasta com os nomes usuais.</translation>
    </message>
    <message>
        <source>Images are assigned one by one</source>
        <translation>As imagens são distribuídas uma a uma</translation>
    </message>
    <message>
        <source>Images are files that end in {suffixes}.</source>
        <translation>Imagens são arquivos que terminam em {suffixes}.</translation>
    </message>
    <message>
        <source>Images left out because of their masks: {count:,}; the first is {path} ({reason}).</source>
        <translation>Imagens omitidas por causa das máscaras: {count:,}; a primeira é {path} ({reason}).</translation>
    </message>
    <message>
        <source>Images of {width}x{height} pixels are much smaller than those of pretrained weights, and there are enough to train from scratch.</source>
        <translation>Imagens de {width}x{height} pixels são muito menores que as dos pesos pré-treinados, e há o bastante para treinar do zero.</translation>
    </message>
    <message>
        <source>Images per class</source>
        <translation>Imagens por classe</translation>
    </message>
    <message>
        <source>Images per epoch; an incomplete last batch is skipped.</source>
        <translation>Imagens por época; um último lote incompleto é omitido.</translation>
    </message>
    <message>
        <source>Images per step, separated by commas.</source>
        <translation>Imagens por passo, separadas por vírgulas.</translation>
    </message>
    <message>
        <source>Images per step; changes speed and memory, not the result.</source>
        <translation>Imagens por passo; muda a velocidade e a memória, não o resultado.</translation>
    </message>
    <message>
        <source>Images per training step.</source>
        <translation>Imagens por passo de treino.</translation>
    </message>
    <message>
        <source>Images predicted at once, separated by commas.</source>
        <translation>Imagens previstas de uma vez, separadas por vírgulas.</translation>
    </message>
    <message>
        <source>Images predicted with every batch size; at least ten batches.</source>
        <translation>Imagens previstas com cada tamanho de lote; no mínimo dez lotes.</translation>
    </message>
    <message>
        <source>Images to use.</source>
        <translation>Imagens a usar.</translation>
    </message>
    <message>
        <source>Images whose targets are probably wrong: {count:,}; the first is {path}, where "{target}" is {value:.4g} and about {expected:.2g} is expected.</source>
        <translation>Imagens cujos alvos provavelmente estão errados: {count:,}; a primeira é {path}, onde "{target}" é {value:.4g} e se espera cerca de {expected:.2g}.</translation>
    </message>
    <message>
        <source>Imbalance</source>
        <translation>Desequilíbrio</translation>
    </message>
    <message>
        <source>Imbalance by pixels</source>
        <translation>Desbalanceamento por pixels</translation>
    </message>
    <message>
        <source>Import a folder of images with a folder of masks.</source>
        <translation>Importe uma pasta de imagens com uma pasta de máscaras.</translation>
    </message>
    <message>
        <source>Import a table with a column for it.</source>
        <translation>Importe uma tabela com uma coluna para ela.</translation>
    </message>
    <message>
        <source>Import fewer classes.</source>
        <translation>Importe menos classes.</translation>
    </message>
    <message>
        <source>Import images of another class.</source>
        <translation>Importe imagens de outra classe.</translation>
    </message>
    <message>
        <source>Import only these classes.</source>
        <translation>Importar apenas estas classes.</translation>
    </message>
    <message>
        <source>Import only these splits, if the source has splits.</source>
        <translation>Importar apenas estas divisões, se a fonte tiver divisões.</translation>
    </message>
    <message>
        <source>Import the dataset in gray or in color.</source>
        <translation>Importe o conjunto de dados em cinza ou em cores.</translation>
    </message>
    <message>
        <source>Import the dataset with larger images, or choose a smaller network.</source>
        <translation>Importe o conjunto de dados com imagens maiores, ou escolha uma rede menor.</translation>
    </message>
    <message>
        <source>Import the images again, or choose another dataset.</source>
        <translation>Importe as imagens de novo, ou escolha outro conjunto de dados.</translation>
    </message>
    <message>
        <source>Import the images again, or exclude this one from the dataset.</source>
        <translation>Importe as imagens de novo ou remova esta do conjunto de dados.</translation>
    </message>
    <message>
        <source>Import the images again.</source>
        <translation>Importe as imagens de novo.</translation>
    </message>
    <message>
        <source>Import the images with a share for validation.</source>
        <translation>Importe as imagens com uma proporção para validação.</translation>
    </message>
    <message>
        <source>Import them again, and edit that dataset.</source>
        <translation>Importe-as de novo, e edite esse conjunto de dados.</translation>
    </message>
    <message>
        <source>Import these pictures with a table, and add them to the dataset.</source>
        <translation>Importe essas imagens com uma tabela e adicione-as ao conjunto de dados.</translation>
    </message>
    <message>
        <source>Import under another name.</source>
        <translation>Importe com outro nome.</translation>
    </message>
    <message>
        <source>Importing images</source>
        <translation>Importando imagens</translation>
    </message>
    <message>
        <source>In the last {validations} validations the score stayed at {score}; a constant prediction would reach {constant}.</source>
        <translation>Nas últimas {validations} validações a métrica ficou em {score}; uma previsão constante alcançaria {constant}.</translation>
    </message>
    <message>
        <source>In the last {validations} validations, {share:.1%} of the pixels or more were predicted as "{name}", although another class occurs in {images} images.</source>
        <translation>Nas últimas {validations} validações, {share:.1%} dos pixels ou mais foram previstos como "{name}", embora outra classe ocorra em {images} imagens.</translation>
    </message>
    <message>
        <source>Inception</source>
        <translation>Inception</translation>
    </message>
    <message>
        <source>Inception v3</source>
        <translation>Inception v3</translation>
    </message>
    <message>
        <source>Inception-ResNet v2</source>
        <translation>Inception-ResNet v2</translation>
    </message>
    <message>
        <source>Include incomplete windows at the border.</source>
        <translation>Inclui janelas incompletas na borda.</translation>
    </message>
    <message>
        <source>Increase it for small networks, which use only part of a machine.</source>
        <translation>Aumente para redes pequenas, que usam só parte da máquina.</translation>
    </message>
    <message>
        <source>Index of the validation fold, from 0.</source>
        <translation>Índice da parte de validação, a partir de 0.</translation>
    </message>
    <message>
        <source>Initial rate, as a fraction of the highest.</source>
        <translation>Taxa inicial, como fração da mais alta.</translation>
    </message>
    <message>
        <source>Initial sum of squared gradients; larger values stabilize the first steps.</source>
        <translation>Valor inicial da soma dos gradientes ao quadrado; valores maiores estabilizam os primeiros passos.</translation>
    </message>
    <message>
        <source>Initialization of the weights.</source>
        <translation>Inicialização dos pesos.</translation>
    </message>
    <message>
        <source>Inner filters</source>
        <translation>Filtros internos</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Entrada</translation>
    </message>
    <message>
        <source>Input channels of the 3x3 windows.</source>
        <translation>Canais de entrada das janelas 3x3.</translation>
    </message>
    <message>
        <source>Input channels of the 5x5 windows.</source>
        <translation>Canais de entrada das janelas 5x5.</translation>
    </message>
    <message>
        <source>Input channels of the wide windows.</source>
        <translation>Canais de entrada das janelas largas.</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Entradas</translation>
    </message>
    <message>
        <source>Inside a backbone</source>
        <translation>Dentro de um backbone</translation>
    </message>
    <message>
        <source>Inspect them and exclude unrecognizable images.</source>
        <translation>Inspecione-as e deixe de fora as imagens irreconhecíveis.</translation>
    </message>
    <message>
        <source>Inspect them, and exclude unrecognizable images.</source>
        <translation>Examine-as; deixe de fora as irreconhecíveis.</translation>
    </message>
    <message>
        <source>Inspect them, and keep one of each duplicate.</source>
        <translation>Inspecione-as e mantenha uma de cada duplicata.</translation>
    </message>
    <message>
        <source>Inspect them, the most suspect first, and correct the wrong ones.</source>
        <translation>Inspecione-as, as mais suspeitas primeiro, e corrija as erradas.</translation>
    </message>
    <message>
        <source>Inspect them, the most suspect first, and relabel the wrong ones.</source>
        <translation>Inspecione-as, as mais suspeitas primeiro, e rotule de novo as erradas.</translation>
    </message>
    <message>
        <source>Inspecting the masks</source>
        <translation>Analisando as máscaras</translation>
    </message>
    <message>
        <source>Install Python 3.11, 3.12 or 3.13: TensorFlow has wheels for these.</source>
        <translation>Instale o Python 3.11, 3.12 ou 3.13: o TensorFlow tem wheels para estes.</translation>
    </message>
    <message>
        <source>Install it again: pip install {name}</source>
        <translation>Instale de novo: pip install {name}</translation>
    </message>
    <message>
        <source>Install it with pip install "studio-trainer[torch]", or choose tpe.</source>
        <translation>Instale com pip install "studio-trainer[torch]", ou escolha tpe.</translation>
    </message>
    <message>
        <source>Install it with: pip install 'studio-trainer[cluster]', or leave the field empty to train on this machine.</source>
        <translation>Instale com: pip install 'studio-trainer[cluster]', ou deixe o campo vazio para treinar nesta máquina.</translation>
    </message>
    <message>
        <source>Install it with: pip install 'studio-trainer[cluster]', or train on this machine.</source>
        <translation>Instale com: pip install 'studio-trainer[cluster]', ou treine nesta máquina.</translation>
    </message>
    <message>
        <source>Install it with: pip install 'studio-trainer[mlflow]', or leave the field empty.</source>
        <translation>Instale com: pip install 'studio-trainer[mlflow]', ou deixe o campo vazio.</translation>
    </message>
    <message>
        <source>Install it with: {command}</source>
        <translation>Instale com: {command}</translation>
    </message>
    <message>
        <source>Install it: pip install "studio-trainer[parquet]".</source>
        <translation>Instale: pip install "studio-trainer[parquet]".</translation>
    </message>
    <message>
        <source>Install it: pip install -e . in its folder.</source>
        <translation>Instale: pip install -e . na pasta dele.</translation>
    </message>
    <message>
        <source>Install it: {command}</source>
        <translation>Instale: {command}</translation>
    </message>
    <message>
        <source>Install it: {install}</source>
        <translation>Instale: {install}</translation>
    </message>
    <message>
        <source>Install its package again, or remove it.</source>
        <translation>Instale o pacote novamente ou remova-o.</translation>
    </message>
    <message>
        <source>Install one of them: {commands}.</source>
        <translation>Instale um deles: {commands}.</translation>
    </message>
    <message>
        <source>Install one: {ways}</source>
        <translation>Instale uma: {ways}</translation>
    </message>
    <message>
        <source>Install the same version on all machines.</source>
        <translation>Instale a mesma versão em todas as máquinas.</translation>
    </message>
    <message>
        <source>Install version {version} on all of its nodes.</source>
        <translation>Instale a versão {version} em todos os nós dele.</translation>
    </message>
    <message>
        <source>Install {label} with support for the GPU and a driver for it, or choose the device "auto" or "cpu".</source>
        <translation>Instale {label} com suporte à GPU e um driver para ela, ou escolha o dispositivo "auto" ou "cpu".</translation>
    </message>
    <message>
        <source>Internal addresses</source>
        <translation>Endereços internos</translation>
    </message>
    <message>
        <source>Internal addresses can be allowed only for lists and files on the web; {source} is neither.</source>
        <translation>Endereços internos só podem ser permitidos para listas e arquivos da web; {source} não é nenhum dos dois.</translation>
    </message>
    <message>
        <source>Interpolation of the new pixels.</source>
        <translation>Interpolação dos novos pixels.</translation>
    </message>
    <message>
        <source>Intersection of predicted and true pixels divided by their union.</source>
        <translation>Interseção dos pixels previstos e reais dividida pela união.</translation>
    </message>
    <message>
        <source>Inverse</source>
        <translation>Inversa</translation>
    </message>
    <message>
        <source>Inverse regularization strength C of a solved head; 0 selects it on the validation split.</source>
        <translation>Inverso da regularização (C) de uma cabeça resolvida; 0 o escolhe na divisão de validação.</translation>
    </message>
    <message>
        <source>Inverted residual</source>
        <translation>Residual invertido</translation>
    </message>
    <message>
        <source>IoU</source>
        <translation>IoU</translation>
    </message>
    <message>
        <source>IoU {share:.0%}</source>
        <translation>IoU {share:.0%}</translation>
    </message>
    <message>
        <source>It agrees with the model on {share:.1f} % of the images; the tolerance is {tolerance:g} %.</source>
        <translation>Ele concorda com o modelo em {share:.1f} % das imagens; a tolerância é {tolerance:g} %.</translation>
    </message>
    <message>
        <source>It agrees with the model on {share:.1f} % of the pixels; the tolerance is {tolerance:g} %.</source>
        <translation>Concorda com o modelo em {share:.1f} % dos pixels; a tolerância é de {tolerance:g} %.</translation>
    </message>
    <message>
        <source>It cannot be run ({cause}): {reason}.</source>
        <translation>Não pode ser executado ({cause}): {reason}.</translation>
    </message>
    <message>
        <source>It did not finish within {duration}.</source>
        <translation>Não terminou em {duration}.</translation>
    </message>
    <message>
        <source>It did not finish within {seconds:g} seconds.</source>
        <translation>Não terminou em {seconds:g} segundos.</translation>
    </message>
    <message>
        <source>It does not fit into memory: {reason}.</source>
        <translation>Não cabe na memória: {reason}.</translation>
    </message>
    <message>
        <source>It has trials from 0 to {last}.</source>
        <translation>Tem tentativas de 0 a {last}.</translation>
    </message>
    <message>
        <source>It is the fastest of {number}.</source>
        <translation>É o mais rápido de {number}.</translation>
    </message>
    <message>
        <source>It is written s3://bucket/folder.</source>
        <translation>Escreve-se s3://bucket/pasta.</translation>
    </message>
    <message>
        <source>It may still be in the trash.</source>
        <translation>Ele ainda pode estar na lixeira.</translation>
    </message>
    <message>
        <source>It needs {average_columns} or {step_columns}.</source>
        <translation>Precisa de {average_columns} ou {step_columns}.</translation>
    </message>
    <message>
        <source>It supports 1 to {limit:,} labels; separate several labels of an image by ;</source>
        <translation>São aceitos de 1 a {limit:,} rótulos; separe vários rótulos de uma imagem com ;</translation>
    </message>
    <message>
        <source>It takes a column per label with 0 or 1, or one column such as "cat;dog" with all labels of an image.</source>
        <translation>É preciso uma coluna por rótulo com 0 ou 1, ou uma única coluna como "cat;dog" com todos os rótulos de uma imagem.</translation>
    </message>
    <message>
        <source>It varies {fields}. Start a new sweep for {field}.</source>
        <translation>Varia {fields}. Comece uma nova varredura para {field}.</translation>
    </message>
    <message>
        <source>It was paused.</source>
        <translation>Foi pausado.</translation>
    </message>
    <message>
        <source>It was removed from the queue before it started.</source>
        <translation>Foi removido da fila antes de começar.</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Foi parado.</translation>
    </message>
    <message>
        <source>It was stopped; its model is kept.</source>
        <translation>Foi parado; o modelo é mantido.</translation>
    </message>
    <message>
        <source>It was {state} before a node of the cluster started it.</source>
        <translation>Foi {state} antes que um nó do cluster o iniciasse.</translation>
    </message>
    <message>
        <source>It would take about {seconds:,.0f} s.</source>
        <translation>Levaria cerca de {seconds:,.0f} s.</translation>
    </message>
    <message>
        <source>Its author recommends 0.95; 0.9 is more stable with small batches.</source>
        <translation>O autor recomenda 0,95; 0,9 é mais estável com lotes pequenos.</translation>
    </message>
    <message>
        <source>Its author recommends it: embeddings are tables, not weight matrices.</source>
        <translation>O autor recomenda: embeddings são tabelas, não matrizes de pesos.</translation>
    </message>
    <message>
        <source>Its columns ({columns}) look like {task:lower}; for that, add --task {name}.</source>
        <translation>Suas colunas ({columns}) parecem ser de {task:lower}; para isso, adicione --task {name}.</translation>
    </message>
    <message>
        <source>Its dataset "{dataset}" is {state}: {reason}</source>
        <translation>O conjunto de dados "{dataset}" dele está {state}: {reason}</translation>
    </message>
    <message>
        <source>Its dataset is imported first.</source>
        <translation>O conjunto de dados dele é importado primeiro.</translation>
    </message>
    <message>
        <source>Its process died ({cause}); see {file}.</source>
        <translation>O processo dele morreu ({cause}); veja {file}.</translation>
    </message>
    <message>
        <source>Its process was killed (signal 9): the system probably ran out of memory.</source>
        <translation>O processo dele foi morto (sinal 9): o sistema provavelmente ficou sem memória.</translation>
    </message>
    <message>
        <source>Its run was deleted.</source>
        <translation>O treino dela foi excluído.</translation>
    </message>
    <message>
        <source>Its settings as JSON, as get_config of the Keras layer gives them.</source>
        <translation>As configurações em JSON, como get_config da camada Keras as dá.</translation>
    </message>
    <message>
        <source>Its time limit ended after {count:,} of {total:,} steps.</source>
        <translation>O limite de tempo acabou após {count:,} de {total:,} passos.</translation>
    </message>
    <message>
        <source>Its {metric:lower} is {lost:.2f} {unit} worse than that of the model; the tolerance is {tolerance:g}.</source>
        <translation>{metric:lower}: {lost:.2f} {unit} pior que no modelo; a tolerância é {tolerance:g}.</translation>
    </message>
    <message>
        <source>JAX</source>
        <translation>JAX</translation>
    </message>
    <message>
        <source>JPEG (smallest)</source>
        <translation>JPEG (menor)</translation>
    </message>
    <message>
        <source>JPEG quality</source>
        <translation>Qualidade JPEG</translation>
    </message>
    <message>
        <source>JPEG quality, from 1 to 100.</source>
        <translation>Qualidade JPEG, de 1 a 100.</translation>
    </message>
    <message>
        <source>Jobs at once</source>
        <translation>Trabalhos simultâneos</translation>
    </message>
    <message>
        <source>Joined by</source>
        <translation>Unidas por</translation>
    </message>
    <message>
        <source>Joining branches</source>
        <translation>Junção de ramos</translation>
    </message>
    <message>
        <source>Keep color, or convert images to grayscale.</source>
        <translation>Manter as cores ou converter as imagens em tons de cinza.</translation>
    </message>
    <message>
        <source>Keep it to compare runs; change it to see how much a result depends on the split.</source>
        <translation>Mantenha-a para comparar treinos; mude-a para ver quanto um resultado depende da divisão.</translation>
    </message>
    <message>
        <source>Keep it to reproduce a sweep; change it to test whether the result is stable.</source>
        <translation>Mantenha para reproduzir uma varredura; mude para testar se o resultado é estável.</translation>
    </message>
    <message>
        <source>Keep one of each.</source>
        <translation>Mantenha uma de cada.</translation>
    </message>
    <message>
        <source>Keep the axes</source>
        <translation>Manter os eixos</translation>
    </message>
    <message>
        <source>Keep the computer awake</source>
        <translation>Manter o computador acordado</translation>
    </message>
    <message>
        <source>Keep the head</source>
        <translation>Manter a cabeça</translation>
    </message>
    <message>
        <source>Keep the size (same)</source>
        <translation>Manter o tamanho (same)</translation>
    </message>
    <message>
        <source>Keep the source's splits</source>
        <translation>Manter as divisões da origem</translation>
    </message>
    <message>
        <source>Keeping the features</source>
        <translation>Guardando as características</translation>
    </message>
    <message>
        <source>Keeps numbers finite; no need to change it.</source>
        <translation>Mantém os números finitos; não é preciso mudar.</translation>
    </message>
    <message>
        <source>Keeps the center of the image.</source>
        <translation>Mantém o centro da imagem.</translation>
    </message>
    <message>
        <source>Keeps validation and test images defined by the source, such as a folder named test.</source>
        <translation>Mantém as imagens de validação e teste definidas pela fonte, como uma pasta chamada test.</translation>
    </message>
    <message>
        <source>Kept as written by Keras, because Studio has no form for their settings: {layers}.</source>
        <translation>Mantidas como o Keras as gravou, porque o Studio não tem formulário para suas configurações: {layers}.</translation>
    </message>
    <message>
        <source>Keras</source>
        <translation>Keras</translation>
    </message>
    <message>
        <source>Keras layer</source>
        <translation>Camada Keras</translation>
    </message>
    <message>
        <source>Keras splits batches over devices with JAX and TensorFlow, not with PyTorch.</source>
        <translation>O Keras divide lotes entre dispositivos com JAX e TensorFlow, não com PyTorch.</translation>
    </message>
    <message>
        <source>Keras' own 0.99 needs thousands of steps before validation can be trusted; 0.9 needs a few dozen.</source>
        <translation>O 0,99 do próprio Keras precisa de milhares de passos até a validação ser confiável; 0,9 precisa de algumas dezenas.</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Kernel width</source>
        <translation>Largura do kernel</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Known: {names}.</source>
        <translation>Valores válidos: {names}.</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>L2 shrinkage</source>
        <translation>Encolhimento L2</translation>
    </message>
    <message>
        <source>LAMB</source>
        <translation>LAMB</translation>
    </message>
    <message>
        <source>LR-ASPP ({backbone})</source>
        <translation>LR-ASPP ({backbone})</translation>
    </message>
    <message>
        <source>LSTM</source>
        <translation>LSTM</translation>
    </message>
    <message>
        <source>LSTM over rows</source>
        <translation>LSTM sobre linhas</translation>
    </message>
    <message>
        <source>LSTM remembers longest; GRU is smaller and almost as good.</source>
        <translation>LSTM lembra por mais tempo; GRU é menor e quase tão boa.</translation>
    </message>
    <message>
        <source>Label accuracy</source>
        <translation>Acurácia por rótulo</translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation>Suavização de rótulos</translation>
    </message>
    <message>
        <source>LabelMe JSON files</source>
        <translation>Arquivos JSON do LabelMe</translation>
    </message>
    <message>
        <source>Labels file</source>
        <translation>Arquivo de rótulos</translation>
    </message>
    <message>
        <source>Labels must be from 0 to {last}; received {min} to {max}.</source>
        <translation>Os rótulos devem ir de 0 a {last}; recebidos {min} a {max}.</translation>
    </message>
    <message>
        <source>Labels that are probably wrong: {count:,}; the first is "{class_name}", probably "{suggestion}".</source>
        <translation>Rótulos provavelmente errados: {count:,}; o primeiro é "{class_name}", provavelmente "{suggestion}".</translation>
    </message>
    <message>
        <source>Larger batches are faster per image and need more memory. Very large ones learn less from each image.</source>
        <translation>Lotes maiores são mais rápidos por imagem e precisam de mais memória. Os muito grandes aprendem menos com cada imagem.</translation>
    </message>
    <message>
        <source>Larger images keep detail but train slower. Pretrained networks usually expect 224.</source>
        <translation>Imagens maiores mantêm detalhes, mas treinam mais devagar. Redes pré-treinadas costumam esperar 224.</translation>
    </message>
    <message>
        <source>Larger images keep detail but train slower: twice the side is four times the work.</source>
        <translation>Imagens maiores mantêm detalhes, mas treinam mais devagar: o dobro do lado é quatro vezes o trabalho.</translation>
    </message>
    <message>
        <source>Largest absolute value of each gradient element; 0 is off.</source>
        <translation>Maior valor absoluto de cada elemento do gradiente; 0 desliga.</translation>
    </message>
    <message>
        <source>Largest accepted difference between file and model for the certificate.</source>
        <translation>Maior diferença aceita entre arquivo e modelo para o certificado.</translation>
    </message>
    <message>
        <source>Largest accepted loss of the main metric: points of accuracy or mAP, percent of an error.</source>
        <translation>Maior perda aceita da métrica principal: pontos de acurácia ou mAP, por cento de um erro.</translation>
    </message>
    <message>
        <source>Largest norm of all gradients together; 0 is off.</source>
        <translation>Maior norma de todos os gradientes juntos; 0 desliga.</translation>
    </message>
    <message>
        <source>Largest norm of the gradient of each weight tensor; 0 is off.</source>
        <translation>Maior norma do gradiente de cada tensor de pesos; 0 desliga.</translation>
    </message>
    <message>
        <source>Largest root mean square of a step.</source>
        <translation>Maior raiz quadrática média de um passo.</translation>
    </message>
    <message>
        <source>Last rate</source>
        <translation>Última taxa</translation>
    </message>
    <message>
        <source>Latencies are not compared. {reason}</source>
        <translation>As latências não são comparadas. {reason}</translation>
    </message>
    <message>
        <source>Latency of an image</source>
        <translation>Latência de uma imagem</translation>
    </message>
    <message>
        <source>Later runs can start from any snapshot, and each one can be evaluated and exported.</source>
        <translation>Outros treinos podem começar de qualquer cópia, e cada uma pode ser avaliada e exportada.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Camada</translation>
    </message>
    <message>
        <source>Layer normalization</source>
        <translation>Normalização por camada</translation>
    </message>
    <message>
        <source>Layer or block inside; it and all layers before it are frozen.</source>
        <translation>Camada ou bloco interno; ela e todas as camadas anteriores ficam congeladas.</translation>
    </message>
    <message>
        <source>Layer whose output is used as features; empty for the input of the head.</source>
        <translation>Camada cuja saída é usada como características; vazio para a entrada da cabeça.</translation>
    </message>
    <message>
        <source>Layers that are not trained: none, all but the head, or up to a block or layer.</source>
        <translation>Camadas que não são treinadas: nenhuma, todas menos a cabeça, ou até um bloco ou camada.</translation>
    </message>
    <message>
        <source>LeCun, normal</source>
        <translation>LeCun, normal</translation>
    </message>
    <message>
        <source>LeCun, uniform</source>
        <translation>LeCun, uniforme</translation>
    </message>
    <message>
        <source>Leakage</source>
        <translation>Vazamento</translation>
    </message>
    <message>
        <source>Leaky ReLU</source>
        <translation>Leaky ReLU</translation>
    </message>
    <message>
        <source>Learn a factor per channel.</source>
        <translation>Aprender um fator por canal.</translation>
    </message>
    <message>
        <source>Learn an offset per channel.</source>
        <translation>Aprender um deslocamento por canal.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Taxa de aprendizado</translation>
    </message>
    <message>
        <source>Learning rate of plain gradient descent.</source>
        <translation>Taxa de aprendizado do gradiente descendente simples.</translation>
    </message>
    <message>
        <source>Learning rate schedule</source>
        <translation>Agendamento da taxa de aprendizado</translation>
    </message>
    <message>
        <source>Learns a residual to add to its input, so that deep networks train well.</source>
        <translation>Aprende um resíduo a somar à entrada, para que redes profundas treinem bem.</translation>
    </message>
    <message>
        <source>Leave it at {default}.</source>
        <translation>Deixe em {default}.</translation>
    </message>
    <message>
        <source>Leave it empty; it is for tasks with masks.</source>
        <translation>Deixe vazio; é para tarefas com máscaras.</translation>
    </message>
    <message>
        <source>Leave it empty; it is for: {sources}.</source>
        <translation>Deixe vazio; serve para: {sources}.</translation>
    </message>
    <message>
        <source>Leave it on to find label errors. It needs classes that are recognizable in small images.</source>
        <translation>Deixe ativado para achar erros de rótulo. Exige classes reconhecíveis em imagens pequenas.</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>Deixe-a de fora.</translation>
    </message>
    <message>
        <source>Leave the option out.</source>
        <translation>Deixe a opção de fora.</translation>
    </message>
    <message>
        <source>Leave the version out.</source>
        <translation>Não indique a versão.</translation>
    </message>
    <message>
        <source>Leave them out.</source>
        <translation>Deixe-as de fora.</translation>
    </message>
    <message>
        <source>Leave them out; for S3 they belong into the environment or a profile.</source>
        <translation>Deixe-os de fora; para o S3, o lugar deles é no ambiente ou em um perfil.</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Esquerda</translation>
    </message>
    <message>
        <source>Length of each round relative to the previous one.</source>
        <translation>Duração de cada rodada em relação à anterior.</translation>
    </message>
    <message>
        <source>Let "gradient" train the head, or choose another network.</source>
        <translation>Deixe "gradient" treinar a cabeça, ou escolha outra rede.</translation>
    </message>
    <message>
        <source>Let it be new.</source>
        <translation>Deixe que seja nova.</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Leve</translation>
    </message>
    <message>
        <source>Like Adam with a fraction of its memory, for very large networks.</source>
        <translation>Como o Adam com uma fração da memória, para redes muito grandes.</translation>
    </message>
    <message>
        <source>Like LSTM, with fewer weights.</source>
        <translation>Como a LSTM, com menos pesos.</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Limite</translation>
    </message>
    <message>
        <source>Line {line} of {file} has no valid batch size and time: {values}.</source>
        <translation>A linha {line} de {file} não tem tamanho de lote e tempo válidos: {values}.</translation>
    </message>
    <message>
        <source>Line {number} of {file} is damaged.</source>
        <translation>A linha {number} de {file} está danificada.</translation>
    </message>
    <message>
        <source>Line {number} of {file} is empty, so label {label} has no name.</source>
        <translation>A linha {number} de {file} está vazia, por isso o rótulo {label} não tem nome.</translation>
    </message>
    <message>
        <source>Line {number} of {file} was written by a newer Studio.</source>
        <translation>A linha {number} de {file} foi gravada por um Studio mais novo.</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Linear SVM</source>
        <translation>SVM linear</translation>
    </message>
    <message>
        <source>Linear head on frozen features</source>
        <translation>Cabeça linear sobre características congeladas</translation>
    </message>
    <message>
        <source>Linear or logarithmic scale of the values.</source>
        <translation>Escala linear ou logarítmica dos valores.</translation>
    </message>
    <message>
        <source>Lion</source>
        <translation>Lion</translation>
    </message>
    <message>
        <source>Lists of images</source>
        <translation>Listas de imagens</translation>
    </message>
    <message>
        <source>LiteRT (TFLite)</source>
        <translation>LiteRT (TFLite)</translation>
    </message>
    <message>
        <source>LiteRT {precision}</source>
        <translation>LiteRT {precision}</translation>
    </message>
    <message>
        <source>Load the original model in Python and save it again: model.save('model.keras').</source>
        <translation>Carregue o modelo original em Python e salve-o novamente: model.save('model.keras').</translation>
    </message>
    <message>
        <source>Loading the network</source>
        <translation>Carregando a rede</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>Logarítmica</translation>
    </message>
    <message>
        <source>Logging</source>
        <translation>Registro</translation>
    </message>
    <message>
        <source>Logistic regression</source>
        <translation>Regressão logística</translation>
    </message>
    <message>
        <source>Look at the original files</source>
        <translation>Examinar os arquivos originais</translation>
    </message>
    <message>
        <source>Look for slips of the pen, and for objects that became too small.</source>
        <translation>Procure deslizes na anotação e objetos que ficaram pequenos demais.</translation>
    </message>
    <message>
        <source>Looking for images</source>
        <translation>Procurando imagens</translation>
    </message>
    <message>
        <source>Looking for neighbors</source>
        <translation>Procurando vizinhos</translation>
    </message>
    <message>
        <source>Looking for the rate</source>
        <translation>Procurando a taxa</translation>
    </message>
    <message>
        <source>Loops at most</source>
        <translation>Laços no máximo</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Perda</translation>
    </message>
    <message>
        <source>Low values are almost linear, high values almost a step.</source>
        <translation>Valores baixos são quase lineares; altos, quase um degrau.</translation>
    </message>
    <message>
        <source>Lower is smaller; below about 75, JPEG artifacts become visible to the network.</source>
        <translation>Menor ocupa menos; abaixo de cerca de 75, artefatos do JPEG ficam visíveis para a rede.</translation>
    </message>
    <message>
        <source>Lower it if memory runs out; higher is faster on a GPU.</source>
        <translation>Reduza se faltar memória; maior é mais rápido em uma GPU.</translation>
    </message>
    <message>
        <source>Lower it if the loss jumps; raise it if training is slow.</source>
        <translation>Reduza se a perda salta; aumente se o treino é lento.</translation>
    </message>
    <message>
        <source>Lower it to detect smaller imbalances. Above about 10, use class weights.</source>
        <translation>Diminua para detectar desequilíbrios menores. Acima de cerca de 10, use pesos de classe.</translation>
    </message>
    <message>
        <source>Lower it to detect smaller imbalances. For small classes use class weights or the Dice loss.</source>
        <translation>Diminua para detectar desbalanceamentos menores. Para classes pequenas, use pesos de classe ou a perda Dice.</translation>
    </message>
    <message>
        <source>Lower it to find overexposed photographs.</source>
        <translation>Diminua para achar fotografias superexpostas.</translation>
    </message>
    <message>
        <source>Lower it to find stronger crops and changes, with more false pairs. The threshold rises automatically if all images are similar.</source>
        <translation>Diminua para achar cortes e mudanças maiores, com mais pares falsos. O limiar sobe automaticamente se todas as imagens são parecidas.</translation>
    </message>
    <message>
        <source>Lower precisions round, so predictions may differ; this is the accepted difference.</source>
        <translation>Precisões menores arredondam, então as previsões podem diferir; esta é a diferença aceita.</translation>
    </message>
    <message>
        <source>Lower precisions round. Files with a larger loss are marked.</source>
        <translation>Precisões menores arredondam. Arquivos com perda maior são marcados.</translation>
    </message>
    <message>
        <source>Lower the learning rate ({learning_rate:g} at that step), for example to a tenth. The best weights until then are kept.</source>
        <translation>Reduza a taxa de aprendizado ({learning_rate:g} nesse passo), por exemplo a um décimo. Os melhores pesos até então são mantidos.</translation>
    </message>
    <message>
        <source>Lower values make the last steps smaller.</source>
        <translation>Valores menores tornam os últimos passos menores.</translation>
    </message>
    <message>
        <source>Lowest rate.</source>
        <translation>Menor taxa.</translation>
    </message>
    <message>
        <source>MAE</source>
        <translation>MAE</translation>
    </message>
    <message>
        <source>MLflow</source>
        <translation>MLflow</translation>
    </message>
    <message>
        <source>MLflow is not installed.</source>
        <translation>O MLflow não está instalado.</translation>
    </message>
    <message>
        <source>MNIST</source>
        <translation>MNIST</translation>
    </message>
    <message>
        <source>MNIST (IDX files)</source>
        <translation>MNIST (arquivos IDX)</translation>
    </message>
    <message>
        <source>Made for linear models with sparse weights; slow in deep networks.</source>
        <translation>Feito para modelos lineares com pesos esparsos; lento em redes profundas.</translation>
    </message>
    <message>
        <source>Main metric</source>
        <translation>Métrica principal</translation>
    </message>
    <message>
        <source>Main metric of the task</source>
        <translation>Métrica principal da tarefa</translation>
    </message>
    <message>
        <source>Make it writable, or choose a workspace on another disk.</source>
        <translation>Permita a gravação nele, ou escolha um espaço de trabalho em outro disco.</translation>
    </message>
    <message>
        <source>Make room, or move the workspace: --workspace DIR.</source>
        <translation>Libere espaço, ou mude o espaço de trabalho: --workspace PASTA.</translation>
    </message>
    <message>
        <source>Mask pixels</source>
        <translation>Pixels das máscaras</translation>
    </message>
    <message>
        <source>Masks</source>
        <translation>Máscaras</translation>
    </message>
    <message>
        <source>Masks can have at most {limit} classes; received {classes}.</source>
        <translation>Máscaras podem ter no máximo {limit} classes; foram recebidas {classes}.</translation>
    </message>
    <message>
        <source>Masks must be lossless images, such as PNG, with at most 255 different values.</source>
        <translation>Máscaras devem ser imagens sem perdas, como PNG, com no máximo 255 valores diferentes.</translation>
    </message>
    <message>
        <source>Masks need polygons or RLE; boxes have no outline.</source>
        <translation>Máscaras precisam de polígonos ou RLE; caixas não têm contorno.</translation>
    </message>
    <message>
        <source>Masks that are empty: {count:,}.</source>
        <translation>Máscaras vazias: {count:,}.</translation>
    </message>
    <message>
        <source>Masks with a region of at most {limit:,} pixels: {count:,}.</source>
        <translation>Máscaras com uma região de no máximo {limit:,} pixels: {count:,}.</translation>
    </message>
    <message>
        <source>Max pooling</source>
        <translation>Max pooling</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Máximo</translation>
    </message>
    <message>
        <source>Maximum area of a rectangle that is replaced by the mean color.</source>
        <translation>Área máxima de um retângulo que é substituído pela cor média.</translation>
    </message>
    <message>
        <source>Maximum area of a tiny region of a mask.</source>
        <translation>Área máxima de uma região minúscula de uma máscara.</translation>
    </message>
    <message>
        <source>Maximum brightness of a very dark image, 0 to 255.</source>
        <translation>Brilho máximo de uma imagem muito escura, de 0 a 255.</translation>
    </message>
    <message>
        <source>Maximum change of brightness.</source>
        <translation>Mudança máxima de brilho.</translation>
    </message>
    <message>
        <source>Maximum change of contrast.</source>
        <translation>Mudança máxima de contraste.</translation>
    </message>
    <message>
        <source>Maximum change of saturation.</source>
        <translation>Mudança máxima de saturação.</translation>
    </message>
    <message>
        <source>Maximum change of the factor of all channels.</source>
        <translation>Mudança máxima do fator de todos os canais.</translation>
    </message>
    <message>
        <source>Maximum horizontal and vertical shear.</source>
        <translation>Cisalhamento máximo na horizontal e na vertical.</translation>
    </message>
    <message>
        <source>Maximum number of concurrent jobs; 0 is limited by the devices only.</source>
        <translation>Número máximo de trabalhos simultâneos; 0 é limitado apenas pelos dispositivos.</translation>
    </message>
    <message>
        <source>Maximum number of different bits, of 63, in the perceptual hashes of near-duplicates.</source>
        <translation>Número máximo de bits diferentes, de 63, nos hashes perceptuais de quase duplicatas.</translation>
    </message>
    <message>
        <source>Maximum number of images per class, sampled at random; empty keeps all.</source>
        <translation>Número máximo de imagens por classe, sorteadas; vazio mantém todas.</translation>
    </message>
    <message>
        <source>Maximum number of images; larger datasets are sampled, stratified by class.</source>
        <translation>Número máximo de imagens; conjuntos maiores são amostrados, estratificados por classe.</translation>
    </message>
    <message>
        <source>Maximum number of separate test images per class.</source>
        <translation>Número máximo de imagens de teste separadas por classe.</translation>
    </message>
    <message>
        <source>Maximum number of separate validation images per class.</source>
        <translation>Número máximo de imagens de validação separadas por classe.</translation>
    </message>
    <message>
        <source>Maximum number of trials; empty runs a whole grid.</source>
        <translation>Número máximo de tentativas; vazio executa a grade inteira.</translation>
    </message>
    <message>
        <source>Maximum of the range.</source>
        <translation>Máximo do intervalo.</translation>
    </message>
    <message>
        <source>Maximum output; empty for no limit.</source>
        <translation>Saída máxima; vazio para nenhum limite.</translation>
    </message>
    <message>
        <source>Maximum radius of a blur.</source>
        <translation>Raio máximo de um desfoque.</translation>
    </message>
    <message>
        <source>Maximum rotation in either direction.</source>
        <translation>Rotação máxima em cada direção.</translation>
    </message>
    <message>
        <source>Maximum sharpness of a blurred image, relative to the median.</source>
        <translation>Nitidez máxima de uma imagem desfocada, relativa à mediana.</translation>
    </message>
    <message>
        <source>Maximum shift of hue in either direction.</source>
        <translation>Deslocamento máximo de matiz em cada direção.</translation>
    </message>
    <message>
        <source>Maximum shift, as a percentage of each side.</source>
        <translation>Deslocamento máximo, em porcentagem de cada lado.</translation>
    </message>
    <message>
        <source>Maximum side of a tiny image, relative to the median side.</source>
        <translation>Lado máximo de uma imagem minúscula, relativo ao lado mediano.</translation>
    </message>
    <message>
        <source>Maximum variation of the gray levels of a blank image.</source>
        <translation>Variação máxima dos níveis de cinza de uma imagem vazia.</translation>
    </message>
    <message>
        <source>Maximum zoom in or out, as a percentage of each side.</source>
        <translation>Zoom máximo para dentro ou para fora, em porcentagem de cada lado.</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Média</translation>
    </message>
    <message>
        <source>Mean Dice</source>
        <translation>Dice médio</translation>
    </message>
    <message>
        <source>Mean F1 of the labels, at a threshold of 0.5.</source>
        <translation>F1 médio dos rótulos, com limiar 0,5.</translation>
    </message>
    <message>
        <source>Mean IoU</source>
        <translation>IoU médio</translation>
    </message>
    <message>
        <source>Mean absolute difference between predicted and true values, over all targets.</source>
        <translation>Diferença absoluta média entre valores previstos e verdadeiros, sobre todos os alvos.</translation>
    </message>
    <message>
        <source>Mean binary cross-entropy between predicted probabilities and labels.</source>
        <translation>Entropia cruzada binária média entre probabilidades previstas e rótulos.</translation>
    </message>
    <message>
        <source>Mean boundary F1</source>
        <translation>F1 médio das bordas</translation>
    </message>
    <message>
        <source>Mean color</source>
        <translation>Cor média</translation>
    </message>
    <message>
        <source>Mean cross-entropy between the predicted probabilities and the class of each pixel, or the Dice loss, or both.</source>
        <translation>Entropia cruzada média entre as probabilidades previstas e a classe de cada pixel, ou a perda Dice, ou ambas.</translation>
    </message>
    <message>
        <source>Mean cross-entropy between the predicted probabilities and the right class.</source>
        <translation>Entropia cruzada média entre as probabilidades previstas e a classe correta.</translation>
    </message>
    <message>
        <source>Mean image</source>
        <translation>Imagem média</translation>
    </message>
    <message>
        <source>Mean of boundary F1 over the classes.</source>
        <translation>Média do F1 das bordas entre as classes.</translation>
    </message>
    <message>
        <source>Mean over the classes of the intersection of predicted and true pixels divided by their union.</source>
        <translation>Média, entre as classes, da interseção dos pixels previstos e reais dividida pela união.</translation>
    </message>
    <message>
        <source>Mean over the classes of twice the intersection of predicted and true pixels divided by the sum of both areas.</source>
        <translation>Média, entre as classes, do dobro da interseção dos pixels previstos e reais dividido pela soma das duas áreas.</translation>
    </message>
    <message>
        <source>Mean over the labels of the area under their precision-recall curves.</source>
        <translation>Média, sobre os rótulos, da área sob as curvas de precisão e revocação.</translation>
    </message>
    <message>
        <source>Mean squared error in standard deviations of the training targets.</source>
        <translation>Erro quadrático médio em desvios padrão dos alvos de treino.</translation>
    </message>
    <message>
        <source>Measure again.</source>
        <translation>Meça de novo.</translation>
    </message>
    <message>
        <source>Measure it with pretrained weights first.</source>
        <translation>Meça-a primeiro com pesos pré-treinados.</translation>
    </message>
    <message>
        <source>Measure latency</source>
        <translation>Medir a latência</translation>
    </message>
    <message>
        <source>Measure the cell again.</source>
        <translation>Meça a célula de novo.</translation>
    </message>
    <message>
        <source>Measures the time for one image at the end.</source>
        <translation>Mede no fim o tempo de uma imagem.</translation>
    </message>
    <message>
        <source>Measuring robustness</source>
        <translation>Medindo a robustez</translation>
    </message>
    <message>
        <source>Measuring the curve</source>
        <translation>Medindo a curva</translation>
    </message>
    <message>
        <source>Measuring the outputs on validation images</source>
        <translation>Medindo as saídas nas imagens de validação</translation>
    </message>
    <message>
        <source>Merge classes or check the class file.</source>
        <translation>Junte classes ou verifique o arquivo de classes.</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Método</translation>
    </message>
    <message>
        <source>Method of assigning images to splits.</source>
        <translation>Método de atribuição das imagens às divisões.</translation>
    </message>
    <message>
        <source>Method of dimensionality reduction.</source>
        <translation>Método de redução de dimensionalidade.</translation>
    </message>
    <message>
        <source>Metric that decides which epoch is best, and early stopping.</source>
        <translation>Métrica que decide a melhor época e a parada antecipada.</translation>
    </message>
    <message>
        <source>Metrics to optimize; several produce a Pareto front.</source>
        <translation>Métricas a otimizar; várias produzem uma fronteira de Pareto.</translation>
    </message>
    <message>
        <source>Middle</source>
        <translation>Meio</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Mínimo</translation>
    </message>
    <message>
        <source>Minimum brightness of a very bright image, 0 to 255.</source>
        <translation>Brilho mínimo de uma imagem muito clara, de 0 a 255.</translation>
    </message>
    <message>
        <source>Minimum improvement</source>
        <translation>Melhoria mínima</translation>
    </message>
    <message>
        <source>Minimum number of images per class; smaller classes are excluded.</source>
        <translation>Número mínimo de imagens por classe; classes menores ficam de fora.</translation>
    </message>
    <message>
        <source>Minimum number of separate test images per class.</source>
        <translation>Número mínimo de imagens de teste separadas por classe.</translation>
    </message>
    <message>
        <source>Minimum number of separate validation images per class.</source>
        <translation>Número mínimo de imagens de validação separadas por classe.</translation>
    </message>
    <message>
        <source>Minimum of the range.</source>
        <translation>Mínimo do intervalo.</translation>
    </message>
    <message>
        <source>Minimum percentage of images for which file and model give the same prediction.</source>
        <translation>Porcentagem mínima de imagens em que arquivo e modelo dão a mesma previsão.</translation>
    </message>
    <message>
        <source>Minimum ratio of the largest to the smallest class, in pixels of training masks.</source>
        <translation>Razão mínima entre a maior e a menor classe, em pixels das máscaras de treino.</translation>
    </message>
    <message>
        <source>Minimum ratio of the largest to the smallest class, in training images.</source>
        <translation>Razão mínima entre a maior e a menor classe, em imagens de treino.</translation>
    </message>
    <message>
        <source>Minimum similarity of near-duplicate images.</source>
        <translation>Similaridade mínima de imagens quase duplicadas.</translation>
    </message>
    <message>
        <source>Minutes after which the benchmark pauses; empty for no limit.</source>
        <translation>Minutos após os quais o benchmark pausa; vazio para nenhum limite.</translation>
    </message>
    <message>
        <source>Mirror half of the images horizontally.</source>
        <translation>Espelhar metade das imagens na horizontal.</translation>
    </message>
    <message>
        <source>Mirror half of the images vertically.</source>
        <translation>Espelhar metade das imagens na vertical.</translation>
    </message>
    <message>
        <source>Missing activation</source>
        <translation>Falta uma ativação</translation>
    </message>
    <message>
        <source>Missing from a split</source>
        <translation>Ausentes de uma divisão</translation>
    </message>
    <message>
        <source>MixUp</source>
        <translation>MixUp</translation>
    </message>
    <message>
        <source>Mixed, bfloat16</source>
        <translation>Mista, bfloat16</translation>
    </message>
    <message>
        <source>Mixed, float16</source>
        <translation>Mista, float16</translation>
    </message>
    <message>
        <source>MobileNet</source>
        <translation>MobileNet</translation>
    </message>
    <message>
        <source>MobileNetV2</source>
        <translation>MobileNetV2</translation>
    </message>
    <message>
        <source>MobileNetV3 large</source>
        <translation>MobileNetV3 large</translation>
    </message>
    <message>
        <source>MobileNetV3 small</source>
        <translation>MobileNetV3 small</translation>
    </message>
    <message>
        <source>MobileNets are fast on a CPU; ResNet and EfficientNet are stronger.</source>
        <translation>MobileNets são rápidas em uma CPU; ResNet e EfficientNet são mais fortes.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Model file</source>
        <translation>Arquivo de modelo</translation>
    </message>
    <message>
        <source>Model that predicts.</source>
        <translation>Modelo que prevê.</translation>
    </message>
    <message>
        <source>Models are compared on the same images: evaluate both on one dataset.</source>
        <translation>Modelos são comparados nas mesmas imagens: avalie ambos em um só conjunto de dados.</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Momento</translation>
    </message>
    <message>
        <source>Momentum is 0</source>
        <translation>O momentum é 0</translation>
    </message>
    <message>
        <source>Momentum of the moving average of the weights; 0 is off, 0.99 is common.</source>
        <translation>Momentum da média móvel dos pesos; 0 desliga, 0,99 é comum.</translation>
    </message>
    <message>
        <source>Momentum of the running mean and variance.</source>
        <translation>Momentum da média e da variância móveis.</translation>
    </message>
    <message>
        <source>Monitor one of {metrics}.</source>
        <translation>Monitore uma destas: {metrics}.</translation>
    </message>
    <message>
        <source>Monitor the training loss, or import images for validation.</source>
        <translation>Monitore a perda de treino ou importe imagens de validação.</translation>
    </message>
    <message>
        <source>Monitor {metric:lower}.</source>
        <translation>Monitore {metric:lower}.</translation>
    </message>
    <message>
        <source>Monitored metric</source>
        <translation>Métrica monitorada</translation>
    </message>
    <message>
        <source>More channels favor the framework. Photographs have 3.</source>
        <translation>Mais canais favorecem o framework. Fotografias têm 3.</translation>
    </message>
    <message>
        <source>More convolutions see larger and finer patterns before each halving; start with 2.</source>
        <translation>Mais convoluções veem padrões maiores e mais finos antes de cada redução; comece com 2.</translation>
    </message>
    <message>
        <source>More epochs help until the validation metric stops improving.</source>
        <translation>Mais épocas ajudam até que a métrica de validação pare de melhorar.</translation>
    </message>
    <message>
        <source>More filters detect more patterns but cost time and memory. Double them where the image is halved.</source>
        <translation>Mais filtros detectam mais padrões, mas custam tempo e memória. Dobre-os onde a imagem é reduzida à metade.</translation>
    </message>
    <message>
        <source>More filters learn finer differences, but overfit sooner.</source>
        <translation>Mais filtros aprendem diferenças mais finas, mas sobreajustam antes.</translation>
    </message>
    <message>
        <source>More filters mean more computation per image, which favors a framework.</source>
        <translation>Mais filtros significam mais cálculo por imagem, o que favorece um framework.</translation>
    </message>
    <message>
        <source>More give a more stable median on a busy computer but take longer.</source>
        <translation>Mais repetições dão uma mediana mais estável em um computador ocupado, mas demoram mais.</translation>
    </message>
    <message>
        <source>More give longer epochs and more stable results; the time per step needs only a few dozen steps.</source>
        <translation>Mais imagens dão épocas mais longas e resultados mais estáveis; o tempo por passo só precisa de algumas dezenas de passos.</translation>
    </message>
    <message>
        <source>More images</source>
        <translation>Mais imagens</translation>
    </message>
    <message>
        <source>More images give more stable results but take longer.</source>
        <translation>Mais imagens dão resultados mais estáveis, mas demoram mais.</translation>
    </message>
    <message>
        <source>More reduces overfitting but slows training down.</source>
        <translation>Mais reduz o sobreajuste, mas torna o treino mais lento.</translation>
    </message>
    <message>
        <source>More time uses more images, which makes the estimate more certain.</source>
        <translation>Mais tempo usa mais imagens, o que torna a estimativa mais certa.</translation>
    </message>
    <message>
        <source>More units remember more but take longer; 32 to 256 is usual.</source>
        <translation>Mais unidades lembram mais, mas demoram mais; 32 a 256 é o usual.</translation>
    </message>
    <message>
        <source>More units see more, for little time but much memory.</source>
        <translation>Mais unidades veem mais, com pouco tempo, mas muita memória.</translation>
    </message>
    <message>
        <source>Most are predicted as "{class_name}".</source>
        <translation>A maioria é prevista como "{class_name}".</translation>
    </message>
    <message>
        <source>Most networks use 2.</source>
        <translation>A maioria das redes usa 2.</translation>
    </message>
    <message>
        <source>Most per class</source>
        <translation>Máximo por classe</translation>
    </message>
    <message>
        <source>Most test</source>
        <translation>Máximo de teste</translation>
    </message>
    <message>
        <source>Most time is spent in the network itself, as expected. Use a smaller network, smaller images or a faster device.</source>
        <translation>A maior parte do tempo é da própria rede, como esperado. Use uma rede menor, imagens menores ou um dispositivo mais rápido.</translation>
    </message>
    <message>
        <source>Most validation</source>
        <translation>Máximo de validação</translation>
    </message>
    <message>
        <source>Mostly stabilizes the steps; against overfitting use L2 shrinkage.</source>
        <translation>Em geral estabiliza os passos; contra o sobreajuste, use o encolhimento L2.</translation>
    </message>
    <message>
        <source>Move or delete that folder, then try again.</source>
        <translation>Mova ou exclua essa pasta e tente de novo.</translation>
    </message>
    <message>
        <source>Move the file away to start a new list; the pictures are next to it.</source>
        <translation>Mova o arquivo para começar uma nova lista; as imagens estão ao lado dele.</translation>
    </message>
    <message>
        <source>Move them to the training images with the fix that the audit of the dataset offers.</source>
        <translation>Mova-as para as imagens de treino com a correção que a auditoria do conjunto de dados oferece.</translation>
    </message>
    <message>
        <source>Move them to the training images, or leave them out.</source>
        <translation>Mova-as para as imagens de treino, ou deixe-as de fora.</translation>
    </message>
    <message>
        <source>Move {file} away to restore the dataset as it was imported.</source>
        <translation>Mova {file} para outro lugar para restaurar o conjunto de dados como foi importado.</translation>
    </message>
    <message>
        <source>Multi-label classification</source>
        <translation>Classificação multirrótulo</translation>
    </message>
    <message>
        <source>Multilayer perceptron</source>
        <translation>Perceptron multicamadas</translation>
    </message>
    <message>
        <source>Multiplies branches element by element, as in gates and attention.</source>
        <translation>Multiplica ramos elemento a elemento, como em portas e atenção.</translation>
    </message>
    <message>
        <source>Multiplies the rate by a factor after every third of training, or at a chosen interval.</source>
        <translation>Multiplica a taxa por um fator após cada terço do treino, ou em um intervalo escolhido.</translation>
    </message>
    <message>
        <source>Multiply</source>
        <translation>Multiplicar</translation>
    </message>
    <message>
        <source>Muon</source>
        <translation>Muon</translation>
    </message>
    <message>
        <source>NASNet large</source>
        <translation>NASNet large</translation>
    </message>
    <message>
        <source>NASNet mobile</source>
        <translation>NASNet mobile</translation>
    </message>
    <message>
        <source>Nadam</source>
        <translation>Nadam</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Name a file, or download the ImageNet weights.</source>
        <translation>Indique um arquivo ou baixe os pesos da ImageNet.</translation>
    </message>
    <message>
        <source>Name each folder or file once.</source>
        <translation>Indique cada pasta ou arquivo uma só vez.</translation>
    </message>
    <message>
        <source>Name it "{name}".</source>
        <translation>Chame-o de "{name}".</translation>
    </message>
    <message>
        <source>Name of a class of keras.layers.</source>
        <translation>Nome de uma classe de keras.layers.</translation>
    </message>
    <message>
        <source>Name of the layer inside the backbone whose output is used, or "before NAME" for its input.</source>
        <translation>Nome da camada dentro do backbone cuja saída é usada, ou “before NOME” para a sua entrada.</translation>
    </message>
    <message>
        <source>Name the arrays x and y, x_train and y_train and so on, or images and labels: N x H x W or N x H x W x C, and N labels or N x K targets. Arrays of Python objects are not supported.</source>
        <translation>Use os nomes x e y para os arrays, x_train e y_train e assim por diante, ou images e labels: N x H x W ou N x H x W x C, e N rótulos ou N x K alvos. Arrays de objetos Python não são lidos.</translation>
    </message>
    <message>
        <source>Name the classes in a file, or check that these are masks.</source>
        <translation>Informe os nomes das classes em um arquivo, ou verifique se são máscaras.</translation>
    </message>
    <message>
        <source>Name the dark class and then the bright class, or choose another mode for mask pixels.</source>
        <translation>Dê nomes à classe escura e à clara, nessa ordem, ou escolha outro modo para os pixels das máscaras.</translation>
    </message>
    <message>
        <source>Name the head here if it learns worse than with Adam.</source>
        <translation>Indique a cabeça aqui se ela aprende pior que com o Adam.</translation>
    </message>
    <message>
        <source>Name the network too, for example squeezenet.</source>
        <translation>Indique também a rede, por exemplo squeezenet.</translation>
    </message>
    <message>
        <source>Name those that your target can run; each is written and timed, which takes a while.</source>
        <translation>Indique os que o seu destino consegue executar; cada um é gravado e cronometrado, o que leva tempo.</translation>
    </message>
    <message>
        <source>Names of the classes of the masks, in the order of their index.</source>
        <translation>Nomes das classes das máscaras, na ordem dos índices.</translation>
    </message>
    <message>
        <source>Near 0, every round ends in a good model.</source>
        <translation>Perto de 0, cada rodada termina em um bom modelo.</translation>
    </message>
    <message>
        <source>Near duplicates</source>
        <translation>Quase duplicatas</translation>
    </message>
    <message>
        <source>Near-same</source>
        <translation>Quase iguais</translation>
    </message>
    <message>
        <source>Nearest is fast and keeps edges; bilinear has no steps.</source>
        <translation>O vizinho mais próximo é rápido e mantém arestas; bilinear não tem degraus.</translation>
    </message>
    <message>
        <source>Needed only where the channels or the size change.</source>
        <translation>Necessário só onde os canais ou o tamanho mudam.</translation>
    </message>
    <message>
        <source>Needs no schedule, because it averages its weights.</source>
        <translation>Não precisa de agendamento, porque faz a média dos pesos.</translation>
    </message>
    <message>
        <source>Neither early stopping nor a plateau uses it</source>
        <translation>Nem a parada antecipada nem um platô a usa</translation>
    </message>
    <message>
        <source>Nesterov</source>
        <translation>Nesterov</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Network in Network</source>
        <translation>Network in Network</translation>
    </message>
    <message>
        <source>Network to train.</source>
        <translation>Rede a treinar.</translation>
    </message>
    <message>
        <source>Network whose features are mapped.</source>
        <translation>Rede cujas características são mapeadas.</translation>
    </message>
    <message>
        <source>Network whose features are used; empty uses the best one available without a download.</source>
        <translation>Rede cujas características são usadas; vazio usa a melhor disponível sem download.</translation>
    </message>
    <message>
        <source>Networks</source>
        <translation>Redes</translation>
    </message>
    <message>
        <source>Networks learn best from small numbers. 1/127.5 with an offset of -1 gives -1..1, as MobileNet expects.</source>
        <translation>Redes aprendem melhor com números pequenos. 1/127.5 com deslocamento -1 dá -1..1, como a MobileNet espera.</translation>
    </message>
    <message>
        <source>Networks separated by commas; options as in pattern:stages=2,dense=0.</source>
        <translation>Redes separadas por vírgulas; opções como em pattern:stages=2,dense=0.</translation>
    </message>
    <message>
        <source>Never recognized: {classes}</source>
        <translation>Nunca reconhecidas: {classes}</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Não</translation>
    </message>
    <message>
        <source>No annotations for {task:lower} found in {path}.</source>
        <translation>Nenhuma anotação para {task:lower} foi encontrada em {path}.</translation>
    </message>
    <message>
        <source>No augmentation.</source>
        <translation>Sem aumento de dados.</translation>
    </message>
    <message>
        <source>No backend of Keras is installed.</source>
        <translation>Nenhum backend do Keras está instalado.</translation>
    </message>
    <message>
        <source>No better than a constant prediction</source>
        <translation>Não é melhor que uma previsão constante</translation>
    </message>
    <message>
        <source>No camera was found.</source>
        <translation>Nenhuma câmera foi encontrada.</translation>
    </message>
    <message>
        <source>No change leaves empty areas</source>
        <translation>Nenhuma mudança deixa áreas vazias</translation>
    </message>
    <message>
        <source>No format is selected.</source>
        <translation>Nenhum formato está selecionado.</translation>
    </message>
    <message>
        <source>No image has 0 or 1 in all {count} columns of labels; of the first, {reason}.</source>
        <translation>Nenhuma imagem tem 0 ou 1 em todas as {count} colunas de rótulos; na primeira, {reason}.</translation>
    </message>
    <message>
        <source>No image in {pictures} has a mask in {masks}.</source>
        <translation>Nenhuma imagem em {pictures} tem uma máscara em {masks}.</translation>
    </message>
    <message>
        <source>No image is selected.</source>
        <translation>Nenhuma imagem está selecionada.</translation>
    </message>
    <message>
        <source>No layer before "{layer}" of the network "{network}" has one output for each of its {classes} classes, so their number cannot be changed.</source>
        <translation>Nenhuma camada antes de "{layer}" da rede "{network}" tem uma saída para cada uma das suas {classes} classes, por isso o número delas não pode ser mudado.</translation>
    </message>
    <message>
        <source>No node of the cluster has {devices}: the run waits until one joins.</source>
        <translation>Nenhum nó do cluster tem {devices}: o treino espera até que um se junte.</translation>
    </message>
    <message>
        <source>No picture could be loaded from {address}: {reason}.</source>
        <translation>Não foi possível obter uma imagem de {address}: {reason}.</translation>
    </message>
    <message>
        <source>No pretrained weights were found on this machine; with them, photos need far fewer images.</source>
        <translation>Não há pesos pré-treinados neste computador; com eles, fotos precisam de muito menos imagens.</translation>
    </message>
    <message>
        <source>No segmentation network can start from the weights of {network}.</source>
        <translation>Nenhuma rede de segmentação pode partir dos pesos de {network}.</translation>
    </message>
    <message>
        <source>No snapshots are stored</source>
        <translation>Nenhuma cópia é guardada</translation>
    </message>
    <message>
        <source>No step finished within {duration}.</source>
        <translation>Nenhum passo terminou em {duration}.</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Nó</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Nós</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Ruído</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Nenhuma</translation>
    </message>
    <message>
        <source>None (valid)</source>
        <translation>Nenhum (valid)</translation>
    </message>
    <message>
        <source>None of the LabelMe files in {folder} can be used.</source>
        <translation>Nenhum dos arquivos LabelMe em {folder} pode ser usado.</translation>
    </message>
    <message>
        <source>None of the formats can be written here: {reasons}.</source>
        <translation>Nenhum dos formatos pode ser gravado aqui: {reasons}.</translation>
    </message>
    <message>
        <source>None of the formats supports the precision {precisions}.</source>
        <translation>Nenhum dos formatos aceita a precisão {precisions}.</translation>
    </message>
    <message>
        <source>None of the masks in {folder} can be read, for example {file}.</source>
        <translation>Nenhuma das máscaras em {folder} pode ser lida, por exemplo {file}.</translation>
    </message>
    <message>
        <source>None of the {count} folders in {folder} contains an image.</source>
        <translation>Nenhuma das {count} pastas em {folder} contém uma imagem.</translation>
    </message>
    <message>
        <source>None of the {images} validation images of "{class_name}" was recognized in the last {validations} validations.</source>
        <translation>Nenhuma das {images} imagens de validação de "{class_name}" foi reconhecida nas últimas {validations} validações.</translation>
    </message>
    <message>
        <source>None: all trials run to the end</source>
        <translation>Nenhum: todas as tentativas vão até o fim</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>Normalização</translation>
    </message>
    <message>
        <source>Normalize each image to mean 0 and standard deviation 1 in the network.</source>
        <translation>Normalizar na rede cada imagem para média 0 e desvio padrão 1.</translation>
    </message>
    <message>
        <source>Normalizes each channel, which speeds up training.</source>
        <translation>Normaliza cada canal, o que acelera o treino.</translation>
    </message>
    <message>
        <source>Normalizes each image to mean 0 and standard deviation 1.</source>
        <translation>Normaliza cada imagem para média 0 e desvio padrão 1.</translation>
    </message>
    <message>
        <source>Normalizes each position over its channels; the same in training and prediction.</source>
        <translation>Normaliza cada posição ao longo dos canais; igual no treino e na previsão.</translation>
    </message>
    <message>
        <source>Normalizes groups of channels per image; for batches too small for batch norm.</source>
        <translation>Normaliza grupos de canais por imagem; para lotes pequenos demais para a normalização em lote.</translation>
    </message>
    <message>
        <source>Not certified: {reasons}</source>
        <translation>Não certificado: {reasons}</translation>
    </message>
    <message>
        <source>Not learned: {outputs}</source>
        <translation>Não aprendido: {outputs}</translation>
    </message>
    <message>
        <source>Nothing is added.</source>
        <translation>Nada é adicionado.</translation>
    </message>
    <message>
        <source>Nothing is left to fix.</source>
        <translation>Não resta nada a corrigir.</translation>
    </message>
    <message>
        <source>Nothing was added: {problems}</source>
        <translation>Nada foi adicionado: {problems}</translation>
    </message>
    <message>
        <source>NumPy arrays (.npz)</source>
        <translation>Arrays NumPy (.npz)</translation>
    </message>
    <message>
        <source>Number of concurrent runs; they share devices if there are too few.</source>
        <translation>Número de treinos simultâneos; eles compartilham dispositivos se houver poucos.</translation>
    </message>
    <message>
        <source>Number of edits of the dataset to include; new runs use the newest version.</source>
        <translation>Número de edições do conjunto de dados a incluir; novos treinos usam a versão mais nova.</translation>
    </message>
    <message>
        <source>Number of edits to include.</source>
        <translation>Número de edições a incluir.</translation>
    </message>
    <message>
        <source>Number of folds for cross-validation.</source>
        <translation>Número de partes (folds) da validação cruzada.</translation>
    </message>
    <message>
        <source>Number of groups of channels; the channels must divide evenly.</source>
        <translation>Número de grupos de canais; os canais precisam ser divisíveis por ele.</translation>
    </message>
    <message>
        <source>Number of images to use; empty uses as many as the time allows.</source>
        <translation>Número de imagens a usar; vazio usa quantas o tempo permitir.</translation>
    </message>
    <message>
        <source>Number of inner channels; often 6 times the input.</source>
        <translation>Número de canais internos; muitas vezes 6 vezes a entrada.</translation>
    </message>
    <message>
        <source>Number of input channels of the 3x3 window.</source>
        <translation>Número de canais de entrada da janela 3x3.</translation>
    </message>
    <message>
        <source>Number of newest snapshots to keep; older ones are deleted. 0 keeps all.</source>
        <translation>Número de cópias mais recentes a manter; as antigas são excluídas. 0 mantém todas.</translation>
    </message>
    <message>
        <source>Number of output channels.</source>
        <translation>Número de canais de saída.</translation>
    </message>
    <message>
        <source>Number of outputs.</source>
        <translation>Número de saídas.</translation>
    </message>
    <message>
        <source>Number of passes over the training images.</source>
        <translation>Número de passagens pelas imagens de treino.</translation>
    </message>
    <message>
        <source>Number of repetitions of each trial with different seeds.</source>
        <translation>Número de repetições de cada tentativa com sementes diferentes.</translation>
    </message>
    <message>
        <source>Number of runs that may share its device; set by sweeps with several workers.</source>
        <translation>Número de treinos que podem dividir o dispositivo; definido por varreduras com vários processos.</translation>
    </message>
    <message>
        <source>Number of stages (M).</source>
        <translation>Número de estágios (M).</translation>
    </message>
    <message>
        <source>Number of threads for computing; 0 uses one per core.</source>
        <translation>Número de threads de cálculo; 0 usa uma por núcleo.</translation>
    </message>
    <message>
        <source>Number of timed repetitions after a warm-up; the median is reported.</source>
        <translation>Número de repetições cronometradas após um aquecimento; a mediana é relatada.</translation>
    </message>
    <message>
        <source>Number of units.</source>
        <translation>Número de unidades.</translation>
    </message>
    <message>
        <source>Number of values of a range in a grid.</source>
        <translation>Número de valores de um intervalo em uma grade.</translation>
    </message>
    <message>
        <source>Number or color (#rrggbb) of mask pixels that belong to no class.</source>
        <translation>Número ou cor (#rrggbb) dos pixels de máscara que não pertencem a nenhuma classe.</translation>
    </message>
    <message>
        <source>Numbers of the optimizer.</source>
        <translation>Números do otimizador.</translation>
    </message>
    <message>
        <source>Numbers of the schedule.</source>
        <translation>Números do agendamento.</translation>
    </message>
    <message>
        <source>Numeric precision of the layers; weights are always stored in 32 bits.</source>
        <translation>Precisão numérica das camadas; os pesos são sempre guardados em 32 bits.</translation>
    </message>
    <message>
        <source>ONNX</source>
        <translation>ONNX</translation>
    </message>
    <message>
        <source>ONNX {precision}</source>
        <translation>ONNX {precision}</translation>
    </message>
    <message>
        <source>Objectives</source>
        <translation>Objetivos</translation>
    </message>
    <message>
        <source>Of the 1x1 and the 3x3 windows.</source>
        <translation>Das janelas 1x1 e 3x3.</translation>
    </message>
    <message>
        <source>Of the polynomial.</source>
        <translation>Do polinômio.</translation>
    </message>
    <message>
        <source>Of {number} classes, none has an image that can be read ({reasons}).</source>
        <translation>De {number} classes, nenhuma tem uma imagem que possa ser lida ({reasons}).</translation>
    </message>
    <message>
        <source>Of {number} classes, only "{class_name}" has an image that can be read ({reasons}).</source>
        <translation>De {number} classes, apenas "{class_name}" tem uma imagem que possa ser lida ({reasons}).</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Desligado</translation>
    </message>
    <message>
        <source>Off saves a few weights where another layer adds an offset right after.</source>
        <translation>Desligado poupa alguns pesos onde outra camada soma um deslocamento logo depois.</translation>
    </message>
    <message>
        <source>Off saves a few weights where another layer multiplies right after, or with a ReLU between.</source>
        <translation>Desligado poupa alguns pesos onde outra camada multiplica logo depois, ou com uma ReLU no meio.</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>Deslocamento</translation>
    </message>
    <message>
        <source>Often slightly faster, at no cost.</source>
        <translation>Muitas vezes um pouco mais rápido, sem custo.</translation>
    </message>
    <message>
        <source>On Debian and Ubuntu: sudo apt-get install {packages}</source>
        <translation>No Debian e no Ubuntu: sudo apt-get install {packages}</translation>
    </message>
    <message>
        <source>On Windows Ray is optional.</source>
        <translation>No Windows, o Ray é opcional.</translation>
    </message>
    <message>
        <source>One .zip: a LiteRT file with its script, and the Keras model, which Studio opens.</source>
        <translation>Um .zip: um arquivo LiteRT com o seu script, e o modelo Keras, que o Studio abre.</translation>
    </message>
    <message>
        <source>One column of probabilities per class is needed.</source>
        <translation>É preciso uma coluna de probabilidades por classe.</translation>
    </message>
    <message>
        <source>One cycle</source>
        <translation>Um ciclo</translation>
    </message>
    <message>
        <source>One file for onnxruntime, OpenVINO, TensorRT, and other languages.</source>
        <translation>Um arquivo para onnxruntime, OpenVINO, TensorRT e outras linguagens.</translation>
    </message>
    <message>
        <source>One file is easier to send. Training can start directly from a .zip archive.</source>
        <translation>Um arquivo é mais fácil de enviar. O treino pode começar diretamente de um arquivo .zip.</translation>
    </message>
    <message>
        <source>One file that torch.export.load reads: for PyTorch, without Keras.</source>
        <translation>Um arquivo que torch.export.load lê: para o PyTorch, sem o Keras.</translation>
    </message>
    <message>
        <source>One number per channel: its maximum over the whole image.</source>
        <translation>Um número por canal: o máximo em toda a imagem.</translation>
    </message>
    <message>
        <source>One number per channel: its mean over the whole image.</source>
        <translation>Um número por canal: a sua média em toda a imagem.</translation>
    </message>
    <message>
        <source>One number per quantity, in its unit.</source>
        <translation>Um número por grandeza, em sua unidade.</translation>
    </message>
    <message>
        <source>One row of probabilities per label is needed.</source>
        <translation>É preciso uma linha de probabilidades por rótulo.</translation>
    </message>
    <message>
        <source>One score per class; they sum to 1.</source>
        <translation>Uma pontuação por classe; elas somam 1.</translation>
    </message>
    <message>
        <source>One score per label, 0 to 1; a label is given from its threshold on.</source>
        <translation>Uma pontuação por rótulo, de 0 a 1; um rótulo é dado a partir de seu limiar.</translation>
    </message>
    <message>
        <source>One small file for phones, single-board computers and small programs.</source>
        <translation>Um arquivo pequeno para celulares, computadores de placa única e programas pequenos.</translation>
    </message>
    <message>
        <source>One window per channel; cheap, and does not mix channels.</source>
        <translation>Uma janela por canal; barata, e não mistura canais.</translation>
    </message>
    <message>
        <source>Only JPEG has a quality</source>
        <translation>Só JPEG tem qualidade</translation>
    </message>
    <message>
        <source>Only built-in Keras layers can be read. Replace it, or export the model without it.</source>
        <translation>Só camadas do próprio Keras podem ser lidas. Substitua-a ou exporte o modelo sem ela.</translation>
    </message>
    <message>
        <source>Only classes</source>
        <translation>Só as classes</translation>
    </message>
    <message>
        <source>Only cross-validation has folds</source>
        <translation>Só a validação cruzada tem folds</translation>
    </message>
    <message>
        <source>Only drawn networks have layers that can vary.</source>
        <translation>Só redes desenhadas têm camadas que podem variar.</translation>
    </message>
    <message>
        <source>Only for trusted lists: addresses can reach routers and services in your network.</source>
        <translation>Apenas para listas em que você confia: endereços podem alcançar roteadores e serviços da sua rede.</translation>
    </message>
    <message>
        <source>Only splits</source>
        <translation>Só as divisões</translation>
    </message>
    <message>
        <source>Only t-SNE has a perplexity</source>
        <translation>Só o t-SNE tem perplexidade</translation>
    </message>
    <message>
        <source>Only the trials of a grid have an order.</source>
        <translation>Só as tentativas de uma grade têm uma ordem.</translation>
    </message>
    <message>
        <source>Only waiting jobs have a position.</source>
        <translation>Só trabalhos em espera têm uma posição na fila.</translation>
    </message>
    <message>
        <source>Only waiting trials have an order.</source>
        <translation>Só tentativas em espera têm uma ordem.</translation>
    </message>
    <message>
        <source>Only {colored} of the {lines} lines of the class file have a color.</source>
        <translation>Só {colored} das {lines} linhas do arquivo de classes têm uma cor.</translation>
    </message>
    <message>
        <source>Open it with the Keras that wrote it and save it again: model.save('model.keras') there, or only its weights, from which a network of the same layers can start.</source>
        <translation>Abra-o com o Keras que o gravou e salve-o de novo: model.save('model.keras') lá, ou só os pesos, a partir dos quais uma rede das mesmas camadas pode começar.</translation>
    </message>
    <message>
        <source>Open that in the designer, save it, and take the saved one.</source>
        <translation>Abra aquele no editor de redes, salve-o e use o que foi salvo.</translation>
    </message>
    <message>
        <source>Open the current findings.</source>
        <translation>Abra as descobertas atuais.</translation>
    </message>
    <message>
        <source>OpenVINO IR</source>
        <translation>OpenVINO IR</translation>
    </message>
    <message>
        <source>OpenVINO IR {precision}</source>
        <translation>OpenVINO IR {precision}</translation>
    </message>
    <message>
        <source>Optimization</source>
        <translation>Otimização</translation>
    </message>
    <message>
        <source>Optimization algorithm.</source>
        <translation>Algoritmo de otimização.</translation>
    </message>
    <message>
        <source>Optimize {objective}.</source>
        <translation>Otimize {objective}.</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Otimizador</translation>
    </message>
    <message>
        <source>Optimizer options</source>
        <translation>Opções do otimizador</translation>
    </message>
    <message>
        <source>Optional packages</source>
        <translation>Pacotes opcionais</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Ordem</translation>
    </message>
    <message>
        <source>Order of the axes, without the batch.</source>
        <translation>Ordem dos eixos, sem o lote.</translation>
    </message>
    <message>
        <source>Orthogonal</source>
        <translation>Ortogonal</translation>
    </message>
    <message>
        <source>Orthogonalizes the update of each kernel; fast for large networks.</source>
        <translation>Ortogonaliza a atualização de cada kernel; rápido para redes grandes.</translation>
    </message>
    <message>
        <source>Other programs used {share:.0%} of the processors during the measurement: without them, training is faster.</source>
        <translation>Outros programas usaram {share:.0%} dos processadores durante a medição: sem eles, o treino é mais rápido.</translation>
    </message>
    <message>
        <source>Other programs used {share:.0%} of the processors while the latency was measured. It may look worse than it is.</source>
        <translation>Outros programas usaram {share:.0%} dos processadores enquanto a latência era medida. Ela pode parecer pior do que é.</translation>
    </message>
    <message>
        <source>Others were better after epoch {epoch}.</source>
        <translation>Outras foram melhores depois da época {epoch}.</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Contorno</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Saída</translation>
    </message>
    <message>
        <source>Output of a layer inside a backbone, for networks that also need finer maps.</source>
        <translation>Saída de uma camada dentro de um backbone, para redes que também precisam de mapas mais finos.</translation>
    </message>
    <message>
        <source>Outputs of each hidden dense layer.</source>
        <translation>Saídas de cada camada densa oculta.</translation>
    </message>
    <message>
        <source>Outputs per input channel.</source>
        <translation>Saídas por canal de entrada.</translation>
    </message>
    <message>
        <source>PCA</source>
        <translation>PCA</translation>
    </message>
    <message>
        <source>PCA is quick, and distances across the map mean something. t-SNE shows groups better and takes much longer; distances between its groups mean little.</source>
        <translation>PCA é rápido, e as distâncias no mapa significam algo. t-SNE mostra melhor os grupos e demora muito mais; as distâncias entre os grupos significam pouco.</translation>
    </message>
    <message>
        <source>PNG (lossless)</source>
        <translation>PNG (sem perdas)</translation>
    </message>
    <message>
        <source>Pack the files of each format into one archive instead of a folder.</source>
        <translation>Compactar os arquivos de cada formato em um só arquivo em vez de uma pasta.</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Padding</translation>
    </message>
    <message>
        <source>Pairs of duplicates or near-duplicates in two classes: {count:,}.</source>
        <translation>Pares de duplicatas ou quase duplicatas em duas classes: {count:,}.</translation>
    </message>
    <message>
        <source>Pairs of duplicates or near-duplicates in two splits: {count:,}. Accuracy measured on them is too high.</source>
        <translation>Pares de duplicatas ou quase duplicatas em duas divisões: {count:,}. A acurácia medida nelas é alta demais.</translation>
    </message>
    <message>
        <source>Pairs of near-duplicate images: at least {count:,}.</source>
        <translation>Pares de quase duplicatas: pelo menos {count:,}.</translation>
    </message>
    <message>
        <source>Pairs of near-duplicate images: {count:,}.</source>
        <translation>Pares de quase duplicatas: {count:,}.</translation>
    </message>
    <message>
        <source>Pairs of the same image with different targets: {count:,}.</source>
        <translation>Pares da mesma imagem com alvos diferentes: {count:,}.</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>Parametric ReLU</source>
        <translation>ReLU paramétrica</translation>
    </message>
    <message>
        <source>Parquet files need the package pyarrow, which is not installed.</source>
        <translation>Arquivos Parquet precisam do pacote pyarrow, que não está instalado.</translation>
    </message>
    <message>
        <source>Parquet table of images (Hugging Face layout)</source>
        <translation>Tabela Parquet de imagens (formato do Hugging Face)</translation>
    </message>
    <message>
        <source>Part of the training in which the learning rate rises from zero.</source>
        <translation>Parte do treino em que a taxa de aprendizado sobe a partir de zero.</translation>
    </message>
    <message>
        <source>Parts of names, separated by commas; these layers use Adam.</source>
        <translation>Partes de nomes, separadas por vírgulas; essas camadas usam o Adam.</translation>
    </message>
    <message>
        <source>Pascal VOC folder with SegmentationClass</source>
        <translation>Pasta Pascal VOC com SegmentationClass</translation>
    </message>
    <message>
        <source>Paste a part of another image, and mix labels by area; 0 is off.</source>
        <translation>Colar uma parte de outra imagem e misturar os rótulos pela área; 0 desativa.</translation>
    </message>
    <message>
        <source>Path prefix</source>
        <translation>Prefixo dos caminhos</translation>
    </message>
    <message>
        <source>Pattern {convolutions}-{stages}-{dense}</source>
        <translation>Padrão {convolutions}-{stages}-{dense}</translation>
    </message>
    <message>
        <source>Paused. Resume continues exactly from here.</source>
        <translation>Pausada. Retomar continua exatamente daqui.</translation>
    </message>
    <message>
        <source>Percentage of images held out for the final test.</source>
        <translation>Porcentagem das imagens reservadas para o teste final.</translation>
    </message>
    <message>
        <source>Percentage of images used to validate the network during training.</source>
        <translation>Porcentagem das imagens usadas para validar a rede durante o treino.</translation>
    </message>
    <message>
        <source>Percentage of test images.</source>
        <translation>Porcentagem de imagens de teste.</translation>
    </message>
    <message>
        <source>Percentage of validation images.</source>
        <translation>Porcentagem de imagens de validação.</translation>
    </message>
    <message>
        <source>Permute</source>
        <translation>Permutar</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexidade</translation>
    </message>
    <message>
        <source>Perplexity of t-SNE: effective number of neighbors.</source>
        <translation>Perplexidade do t-SNE: número efetivo de vizinhos.</translation>
    </message>
    <message>
        <source>Photos of {size} pixels, {images}: {network} suits them.</source>
        <translation>Fotos de {size} pixels, {images}: {network} é adequada.</translation>
    </message>
    <message>
        <source>Pixel accuracy</source>
        <translation>Acurácia por pixel</translation>
    </message>
    <message>
        <source>Pixels</source>
        <translation>Pixels</translation>
    </message>
    <message>
        <source>Pixels that neighboring tiles have in common.</source>
        <translation>Pixels que recortes vizinhos têm em comum.</translation>
    </message>
    <message>
        <source>Plain Python is thousands of times slower; raise it only to measure this at large sizes.</source>
        <translation>Python puro é milhares de vezes mais lento; aumente só para medir isso em tamanhos grandes.</translation>
    </message>
    <message>
        <source>Plain gradient descent; with momentum its final result is often slightly better than with Adam.</source>
        <translation>Gradiente descendente simples; com momentum, o resultado final é muitas vezes um pouco melhor que o do Adam.</translation>
    </message>
    <message>
        <source>Plain loops expected to take longer are skipped.</source>
        <translation>Laços simples que devem demorar mais são omitidos.</translation>
    </message>
    <message>
        <source>Plan of every run, except for the varied fields.</source>
        <translation>Plano de cada treino, exceto os campos variados.</translation>
    </message>
    <message>
        <source>Plateau factor</source>
        <translation>Fator do platô</translation>
    </message>
    <message>
        <source>Plateau patience</source>
        <translation>Paciência do platô</translation>
    </message>
    <message>
        <source>Please report it with the details below.</source>
        <translation>Por favor, relate isto com os detalhes abaixo.</translation>
    </message>
    <message>
        <source>Please report this.</source>
        <translation>Informe isso, por favor.</translation>
    </message>
    <message>
        <source>Point of training at which the rate is halved.</source>
        <translation>Ponto do treino em que a taxa cai à metade.</translation>
    </message>
    <message>
        <source>Points of training at which the rate decreases, separated by commas.</source>
        <translation>Pontos do treino em que a taxa cai, separados por vírgulas.</translation>
    </message>
    <message>
        <source>Polynomial</source>
        <translation>Polinomial</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Pooling</translation>
    </message>
    <message>
        <source>Pooling</source>
        <translation>Pooling</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>Posições</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Potência</translation>
    </message>
    <message>
        <source>Power of its growth.</source>
        <translation>Potência do seu crescimento.</translation>
    </message>
    <message>
        <source>Power of the rate</source>
        <translation>Potência da taxa</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisão</translation>
    </message>
    <message>
        <source>Precisions</source>
        <translation>Precisões</translation>
    </message>
    <message>
        <source>Predictions in the format "{name}" cannot be timed.</source>
        <translation>As previsões no formato "{name}" não podem ser cronometradas.</translation>
    </message>
    <message>
        <source>Predicts only "{name}"</source>
        <translation>Prevê apenas "{name}"</translation>
    </message>
    <message>
        <source>Prefix, test</source>
        <translation>Prefixo, teste</translation>
    </message>
    <message>
        <source>Prefix, validation</source>
        <translation>Prefixo, validação</translation>
    </message>
    <message>
        <source>Pretrained weights</source>
        <translation>Pesos pré-treinados</translation>
    </message>
    <message>
        <source>Pretrained weights need far fewer images. The head is new unless you keep it.</source>
        <translation>Pesos pré-treinados precisam de bem menos imagens. A cabeça é nova, a menos que você a mantenha.</translation>
    </message>
    <message>
        <source>Pretrained {network}, fine-tuned</source>
        <translation>{network} pré-treinada, com ajuste fino</translation>
    </message>
    <message>
        <source>Pretrained {network}, frozen</source>
        <translation>{network} pré-treinada, congelada</translation>
    </message>
    <message>
        <source>Pretrained {network}, partly frozen</source>
        <translation>{network} pré-treinada, parcialmente congelada</translation>
    </message>
    <message>
        <source>Prevents a large network on a slow device from delaying all others.</source>
        <translation>Evita que uma rede grande em um dispositivo lento atrase todas as outras.</translation>
    </message>
    <message>
        <source>Prevents large classes from dominating the result.</source>
        <translation>Evita que classes grandes dominem o resultado.</translation>
    </message>
    <message>
        <source>Prevents large classes from slowing validation down.</source>
        <translation>Evita que classes grandes tornem a validação lenta.</translation>
    </message>
    <message>
        <source>Prevents slow formats and large batches from delaying the others.</source>
        <translation>Evita que formatos lentos e lotes grandes atrasem os outros.</translation>
    </message>
    <message>
        <source>Prevents the computer from sleeping while jobs are running.</source>
        <translation>Impede que o computador entre em suspensão enquanto há trabalhos em execução.</translation>
    </message>
    <message>
        <source>Probabilities must be numbers from 0 to 1.</source>
        <translation>As probabilidades devem ser números de 0 a 1.</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Processador</translation>
    </message>
    <message>
        <source>Product</source>
        <translation>Produto</translation>
    </message>
    <message>
        <source>Published network that computes the features.</source>
        <translation>Rede publicada que calcula as características.</translation>
    </message>
    <message>
        <source>Pulls weights to exactly zero.</source>
        <translation>Puxa os pesos exatamente a zero.</translation>
    </message>
    <message>
        <source>Pulls weights toward zero at every step, against overfitting.</source>
        <translation>Puxa os pesos para zero a cada passo, contra o sobreajuste.</translation>
    </message>
    <message>
        <source>Pulls weights towards zero by the gradient itself.</source>
        <translation>Puxa os pesos em direção a zero pelo próprio gradiente.</translation>
    </message>
    <message>
        <source>Pulls weights towards zero.</source>
        <translation>Puxa os pesos em direção a zero.</translation>
    </message>
    <message>
        <source>Put the images in {pictures} and masks with the same names in {masks}.</source>
        <translation>Coloque as imagens em {pictures} e máscaras com os mesmos nomes em {masks}.</translation>
    </message>
    <message>
        <source>Put the images of each class into a separate folder, inside one folder.</source>
        <translation>Coloque as imagens de cada classe em uma pasta separada, dentro de uma pasta.</translation>
    </message>
    <message>
        <source>Put the images of each class into a separate folder.</source>
        <translation>Coloque as imagens de cada classe em uma pasta separada.</translation>
    </message>
    <message>
        <source>Put the slowest first, usually cpu: the speed-up of the others is relative to it.</source>
        <translation>Coloque o mais lento primeiro, geralmente cpu: a aceleração dos demais é relativa a ele.</translation>
    </message>
    <message>
        <source>Put them back, or vary no field of the dataset.</source>
        <translation>Ponha-as de volta, ou não varie nenhum campo do conjunto de dados.</translation>
    </message>
    <message>
        <source>PyTorch</source>
        <translation>PyTorch</translation>
    </message>
    <message>
        <source>PyTorch (.pt2)</source>
        <translation>PyTorch (.pt2)</translation>
    </message>
    <message>
        <source>PyTorch uses the GPU on Windows and macOS, where TensorFlow cannot.</source>
        <translation>PyTorch usa a GPU no Windows e no macOS, onde o TensorFlow não consegue.</translation>
    </message>
    <message>
        <source>Python and Ray must have the same versions on all machines; HOST:6379 is for nodes of the cluster, ray://HOST:10001 for other machines.</source>
        <translation>Python e Ray precisam ter as mesmas versões em todas as máquinas; HOST:6379 é para nós do cluster, ray://HOST:10001 para outras máquinas.</translation>
    </message>
    <message>
        <source>Quarter turns</source>
        <translation>Quartos de volta</translation>
    </message>
    <message>
        <source>Quasi-random (Sobol)</source>
        <translation>Quase aleatório (Sobol)</translation>
    </message>
    <message>
        <source>Quick look</source>
        <translation>Olhada rápida</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>RMSprop</source>
        <translation>RMSprop</translation>
    </message>
    <message>
        <source>Raise it if almost blank images turn into noise.</source>
        <translation>Aumente se imagens quase vazias viram ruído.</translation>
    </message>
    <message>
        <source>Raise it if small weights hardly learn.</source>
        <translation>Aumente se pesos pequenos quase não aprendem.</translation>
    </message>
    <message>
        <source>Raise it if the loss jumps during the first steps.</source>
        <translation>Aumente se a perda salta nos primeiros passos.</translation>
    </message>
    <message>
        <source>Raise it if the loss jumps during the first steps; 0.1 is usual.</source>
        <translation>Aumente se a perda salta nos primeiros passos; 0,1 é o usual.</translation>
    </message>
    <message>
        <source>Raise it to 0.001 if the loss becomes infinite with 16-bit numbers.</source>
        <translation>Aumente para 0,001 se a perda fica infinita com números de 16 bits.</translation>
    </message>
    <message>
        <source>Raise it to find faded pictures; this may also find fog or paper.</source>
        <translation>Aumente para achar imagens desbotadas; isso também pode achar névoa ou papel.</translation>
    </message>
    <message>
        <source>Raise it to find more slightly blurred images.</source>
        <translation>Aumente para achar mais imagens levemente desfocadas.</translation>
    </message>
    <message>
        <source>Raise it to find more slips of the pen. Objects in small images can be as tiny.</source>
        <translation>Aumente para encontrar mais deslizes na anotação. Em imagens pequenas, objetos podem ser tão pequenos assim.</translation>
    </message>
    <message>
        <source>Raise it to find more thumbnails among photographs.</source>
        <translation>Aumente para achar mais miniaturas entre as fotografias.</translation>
    </message>
    <message>
        <source>Raise it to find slightly recolored or cropped copies; if it is too high, different images count as copies.</source>
        <translation>Aumente para encontrar cópias um pouco recoloridas ou cortadas; alto demais, imagens diferentes contam como cópias.</translation>
    </message>
    <message>
        <source>Raise it to find underexposed photographs. Bright digits on black do not count as dark.</source>
        <translation>Aumente para achar fotografias subexpostas. Dígitos claros sobre preto não contam como escuros.</translation>
    </message>
    <message>
        <source>RandAugment</source>
        <translation>RandAugment</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Aleatório</translation>
    </message>
    <message>
        <source>Random changes of the training images, so that few images go further.</source>
        <translation>Mudanças aleatórias das imagens de treino, para que poucas imagens rendam mais.</translation>
    </message>
    <message>
        <source>Ranking the images by class</source>
        <translation>Ordenando as imagens por classe</translation>
    </message>
    <message>
        <source>Rarely matters, except for networks with a large last layer.</source>
        <translation>Raramente importa, exceto em redes com uma última camada grande.</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Taxa</translation>
    </message>
    <message>
        <source>Rate at the end of a round, as a fraction of that at its start.</source>
        <translation>Taxa no fim de uma rodada, como fração da inicial.</translation>
    </message>
    <message>
        <source>Rate by itself</source>
        <translation>Taxa própria</translation>
    </message>
    <message>
        <source>Rate of Adam</source>
        <translation>Taxa do Adam</translation>
    </message>
    <message>
        <source>Raw is fastest. PNG takes less space without loss, JPEG far less with small changes; both are decoded again in each epoch.</source>
        <translation>Pixels brutos são os mais rápidos. PNG ocupa menos espaço sem perda, JPEG muito menos com pequenas mudanças; ambos são decodificados de novo em cada época.</translation>
    </message>
    <message>
        <source>Raw pixels</source>
        <translation>Pixels brutos</translation>
    </message>
    <message>
        <source>Ray cluster</source>
        <translation>Cluster Ray</translation>
    </message>
    <message>
        <source>Ray is not installed.</source>
        <translation>O Ray não está instalado.</translation>
    </message>
    <message>
        <source>ReLU</source>
        <translation>ReLU</translation>
    </message>
    <message>
        <source>ReLU between layers is a good default; softmax in the last one; linear where normalization follows.</source>
        <translation>ReLU entre camadas é um bom padrão; softmax na última; linear onde vem normalização depois.</translation>
    </message>
    <message>
        <source>ReLU is fast and a good default; SiLU or GELU are sometimes a little better.</source>
        <translation>ReLU é rápida e um bom padrão; SiLU ou GELU às vezes são um pouco melhores.</translation>
    </message>
    <message>
        <source>ReLU up to 6</source>
        <translation>ReLU até 6</translation>
    </message>
    <message>
        <source>ReLU with a limit</source>
        <translation>ReLU com limite</translation>
    </message>
    <message>
        <source>Read the sequence from its end.</source>
        <translation>Ler a sequência a partir do fim.</translation>
    </message>
    <message>
        <source>Read the size of every original file; a few seconds per 100,000 files.</source>
        <translation>Ler o tamanho de cada arquivo original; alguns segundos por 100.000 arquivos.</translation>
    </message>
    <message>
        <source>Reading from S3 needs the package boto3, which is not installed.</source>
        <translation>Ler do S3 precisa do pacote boto3, que não está instalado.</translation>
    </message>
    <message>
        <source>Reading labels</source>
        <translation>Lendo os rótulos</translation>
    </message>
    <message>
        <source>Reading the annotations</source>
        <translation>Lendo as anotações</translation>
    </message>
    <message>
        <source>Reading the list</source>
        <translation>Lendo a lista</translation>
    </message>
    <message>
        <source>Reading the model</source>
        <translation>Lendo o modelo</translation>
    </message>
    <message>
        <source>Reading the sizes of the images</source>
        <translation>Lendo os tamanhos das imagens</translation>
    </message>
    <message>
        <source>Reading {source} ended unexpectedly.</source>
        <translation>A leitura de {source} terminou inesperadamente.</translation>
    </message>
    <message>
        <source>Reading {source} needs more memory than is allowed.</source>
        <translation>A leitura de {source} precisa de mais memória do que é permitido.</translation>
    </message>
    <message>
        <source>Reads the image row by row; an example of a recurrent network.</source>
        <translation>Lê a imagem linha por linha; um exemplo de rede recorrente.</translation>
    </message>
    <message>
        <source>Ready-made</source>
        <translation>Prontas</translation>
    </message>
    <message>
        <source>Rebuild the network with Keras, copy the weights in Python, and save a .keras file.</source>
        <translation>Reconstrua a rede com o Keras, copie os pesos em Python e salve um arquivo .keras.</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Revocação</translation>
    </message>
    <message>
        <source>Received {names} class names, but {colors} colors.</source>
        <translation>Foram recebidos {names} nomes de classes, mas {colors} cores.</translation>
    </message>
    <message>
        <source>Recurrent</source>
        <translation>Recorrentes</translation>
    </message>
    <message>
        <source>Recurrent dropout</source>
        <translation>Dropout recorrente</translation>
    </message>
    <message>
        <source>Reduce the weight of easy images (focal loss), and check its labels.</source>
        <translation>Reduza o peso das imagens fáceis (focal loss) e verifique seus rótulos.</translation>
    </message>
    <message>
        <source>Reduces the channels of the pooling branch.</source>
        <translation>Reduz os canais do ramo de pooling.</translation>
    </message>
    <message>
        <source>Reduces the weight of images that are already classified well; 0 is cross-entropy.</source>
        <translation>Reduz o peso das imagens já bem classificadas; 0 é entropia cruzada.</translation>
    </message>
    <message>
        <source>Refit the head</source>
        <translation>Reajustar a cabeça</translation>
    </message>
    <message>
        <source>Reflection</source>
        <translation>Reflexo</translation>
    </message>
    <message>
        <source>Regression</source>
        <translation>Regressão</translation>
    </message>
    <message>
        <source>Regression takes one column per quantity; a unit may follow in brackets, for example: weight [g].</source>
        <translation>A regressão usa uma coluna por grandeza; uma unidade pode vir entre colchetes, por exemplo: peso [g].</translation>
    </message>
    <message>
        <source>Regular expression on the image path; its first group, or the whole match, names the group.</source>
        <translation>Expressão regular sobre o caminho da imagem; seu primeiro grupo, ou toda a correspondência, dá nome ao grupo.</translation>
    </message>
    <message>
        <source>Remove it on that node, or set TMPDIR there to another folder.</source>
        <translation>Remova-a nesse nó ou defina TMPDIR lá como outra pasta.</translation>
    </message>
    <message>
        <source>Remove it to restore the default limits.</source>
        <translation>Remova-o para restaurar os limites padrão.</translation>
    </message>
    <message>
        <source>Remove it, or choose SGD.</source>
        <translation>Remova-o, ou escolha SGD.</translation>
    </message>
    <message>
        <source>Remove the auxiliary output.</source>
        <translation>Remova a saída auxiliar.</translation>
    </message>
    <message>
        <source>Remove the file to train from the beginning, or start a new run with this plan.</source>
        <translation>Remova o arquivo para treinar desde o início, ou comece um novo treino com este plano.</translation>
    </message>
    <message>
        <source>Remove the question mark and everything after it.</source>
        <translation>Remova o ponto de interrogação e tudo o que vem depois.</translation>
    </message>
    <message>
        <source>Remove the wire that closes a cycle or leads nowhere.</source>
        <translation>Remova a ligação que fecha um ciclo ou não leva a lugar algum.</translation>
    </message>
    <message>
        <source>Remove the wire that closes the circle.</source>
        <translation>Remova a ligação que fecha o círculo.</translation>
    </message>
    <message>
        <source>Removes empty borders. Must not be larger than the input.</source>
        <translation>Remove bordas vazias. Não pode ser maior que a entrada.</translation>
    </message>
    <message>
        <source>Repair or remove the files, then import again.</source>
        <translation>Repare ou remova os arquivos e importe de novo.</translation>
    </message>
    <message>
        <source>Repeat the pixel</source>
        <translation>Repetir o pixel</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>Repetições</translation>
    </message>
    <message>
        <source>Replace it with Keras layers in Python, and save the model again.</source>
        <translation>Substitua-a em Python por camadas do Keras e salve o modelo novamente.</translation>
    </message>
    <message>
        <source>Replace it with a Conv2D that has groups, and save the model again.</source>
        <translation>Substitua-a por uma Conv2D com grupos e salve o modelo novamente.</translation>
    </message>
    <message>
        <source>Replace it with a Keras layer in Python, and save the model again.</source>
        <translation>Substitua-a em Python por uma camada do Keras e salve o modelo novamente.</translation>
    </message>
    <message>
        <source>Replace it with a Keras layer.</source>
        <translation>Substitua-a por uma camada do Keras.</translation>
    </message>
    <message>
        <source>Replace it, or export the model without it.</source>
        <translation>Substitua-a, ou exporte o modelo sem ela.</translation>
    </message>
    <message>
        <source>Request fewer at a time.</source>
        <translation>Peça menos de cada vez.</translation>
    </message>
    <message>
        <source>ResNet-101</source>
        <translation>ResNet-101</translation>
    </message>
    <message>
        <source>ResNet-101 V2</source>
        <translation>ResNet-101 V2</translation>
    </message>
    <message>
        <source>ResNet-152</source>
        <translation>ResNet-152</translation>
    </message>
    <message>
        <source>ResNet-152 V2</source>
        <translation>ResNet-152 V2</translation>
    </message>
    <message>
        <source>ResNet-50</source>
        <translation>ResNet-50</translation>
    </message>
    <message>
        <source>ResNet-50 V2</source>
        <translation>ResNet-50 V2</translation>
    </message>
    <message>
        <source>Resamples</source>
        <translation>Reamostragens</translation>
    </message>
    <message>
        <source>Rescale</source>
        <translation>Mudar a escala</translation>
    </message>
    <message>
        <source>Rescaling</source>
        <translation>Reescala</translation>
    </message>
    <message>
        <source>Reshape</source>
        <translation>Reformatar</translation>
    </message>
    <message>
        <source>Residual block</source>
        <translation>Bloco residual</translation>
    </message>
    <message>
        <source>Residual bottleneck</source>
        <translation>Gargalo residual</translation>
    </message>
    <message>
        <source>Resize</source>
        <translation>Redimensionar</translation>
    </message>
    <message>
        <source>Resize like</source>
        <translation>Redimensionar como</translation>
    </message>
    <message>
        <source>Resizes the first input to the size of the second. The values of the second are not used.</source>
        <translation>Redimensiona a primeira entrada para o tamanho da segunda. Os valores da segunda não são usados.</translation>
    </message>
    <message>
        <source>Restore it from a backup, or write {{"format": {format}}} into it.</source>
        <translation>Restaure-o de um backup ou escreva {{"format": {format}}} nele.</translation>
    </message>
    <message>
        <source>Restore it from the trash.</source>
        <translation>Restaure-o da lixeira.</translation>
    </message>
    <message>
        <source>Restore it from the trash: studio trash restore {dataset}</source>
        <translation>Restaure-o da lixeira: studio trash restore {dataset}</translation>
    </message>
    <message>
        <source>Restore its dataset from the trash.</source>
        <translation>Restaure o conjunto de dados da lixeira.</translation>
    </message>
    <message>
        <source>Restore the file from a backup, or move the folder away.</source>
        <translation>Restaure o arquivo de um backup, ou tire a pasta dali.</translation>
    </message>
    <message>
        <source>Restore the file from a backup.</source>
        <translation>Restaure o arquivo de um backup.</translation>
    </message>
    <message>
        <source>Resume the run: it continues from its last checkpoint.</source>
        <translation>Retome o treino: ele continua do último checkpoint.</translation>
    </message>
    <message>
        <source>Return probabilities, as softmax does.</source>
        <translation>Devolva probabilidades, como o softmax.</translation>
    </message>
    <message>
        <source>Return the output of every step, not only the last.</source>
        <translation>Devolve a saída de cada passo, não só a do último.</translation>
    </message>
    <message>
        <source>Returns the maximum of each window.</source>
        <translation>Devolve o máximo de cada janela.</translation>
    </message>
    <message>
        <source>Returns the mean of each window.</source>
        <translation>Devolve a média de cada janela.</translation>
    </message>
    <message>
        <source>Rho</source>
        <translation>Rho</translation>
    </message>
    <message>
        <source>Ridge regression</source>
        <translation>Regressão ridge</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Direita</translation>
    </message>
    <message>
        <source>Rise</source>
        <translation>Subida</translation>
    </message>
    <message>
        <source>Rises to the learning rate and falls far below: fast training with high rates.</source>
        <translation>Sobe até a taxa de aprendizado e cai bem abaixo: treino rápido com taxas altas.</translation>
    </message>
    <message>
        <source>Robustness</source>
        <translation>Robustez</translation>
    </message>
    <message>
        <source>Robustness cannot be measured for {task:lower}.</source>
        <translation>A robustez não pode ser medida para {task:lower}.</translation>
    </message>
    <message>
        <source>Root of the mean squared difference between predicted and true values.</source>
        <translation>Raiz da diferença quadrática média entre valores previstos e verdadeiros.</translation>
    </message>
    <message>
        <source>Rotate images by a random multiple of 90°.</source>
        <translation>Girar as imagens por um múltiplo aleatório de 90°.</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Rotação</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Rodadas</translation>
    </message>
    <message>
        <source>Rounds of Newton and Schulz in every step.</source>
        <translation>Rodadas de Newton e Schulz em cada passo.</translation>
    </message>
    <message>
        <source>Rows at the bottom.</source>
        <translation>Linhas embaixo.</translation>
    </message>
    <message>
        <source>Rows at the top.</source>
        <translation>Linhas em cima.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Run it with its predict.py, or export the run as keras or bundle.</source>
        <translation>Execute-a com o predict.py dela, ou exporte o treino como keras ou bundle.</translation>
    </message>
    <message>
        <source>Runs per device</source>
        <translation>Treinos por dispositivo</translation>
    </message>
    <message>
        <source>Russakovsky et al., ImageNet Large Scale Visual Recognition Challenge, IJCV 2015</source>
        <translation>Russakovsky et al., ImageNet Large Scale Visual Recognition Challenge, IJCV 2015</translation>
    </message>
    <message>
        <source>R²</source>
        <translation>R²</translation>
    </message>
    <message>
        <source>S3 denies access ({reason})</source>
        <translation>O S3 nega o acesso ({reason})</translation>
    </message>
    <message>
        <source>SELU</source>
        <translation>SELU</translation>
    </message>
    <message>
        <source>SGD</source>
        <translation>SGD</translation>
    </message>
    <message>
        <source>Same keeps borders and sizes simple; valid makes the image smaller by the window less one.</source>
        <translation>Same mantém bordas e tamanhos simples; valid reduz a imagem pela janela menos um.</translation>
    </message>
    <message>
        <source>Same keeps the last row and column where the size is odd.</source>
        <translation>Same mantém a última linha e a última coluna onde o tamanho é ímpar.</translation>
    </message>
    <message>
        <source>Sample all classes equally often.</source>
        <translation>Amostre todas as classes com igual frequência.</translation>
    </message>
    <message>
        <source>Sampler</source>
        <translation>Amostrador</translation>
    </message>
    <message>
        <source>Saturation</source>
        <translation>Saturação</translation>
    </message>
    <message>
        <source>Save it as a functional or sequential model.</source>
        <translation>Salve-o como modelo funcional ou sequencial.</translation>
    </message>
    <message>
        <source>Save less often, keep fewer checkpoints, or use a faster disk.</source>
        <translation>Salve com menos frequência, guarde menos checkpoints, ou use um disco mais rápido.</translation>
    </message>
    <message>
        <source>SavedModel</source>
        <translation>SavedModel</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Escala</translation>
    </message>
    <message>
        <source>Scale 1/127.5 with offset -1 takes 0..255 to -1..1.</source>
        <translation>Escala 1/127.5 com deslocamento -1 leva 0..255 a -1..1.</translation>
    </message>
    <message>
        <source>Scale factor.</source>
        <translation>Fator de escala.</translation>
    </message>
    <message>
        <source>Scales each channel of the pixels to its own range.</source>
        <translation>Escala cada canal dos pixels para o próprio intervalo.</translation>
    </message>
    <message>
        <source>Scales each channel to the range that pretrained weights expect. One number applies to all channels.</source>
        <translation>Escala cada canal para o intervalo que os pesos pré-treinados esperam. Um só número vale para todos os canais.</translation>
    </message>
    <message>
        <source>Scales negative values down instead of setting them to zero.</source>
        <translation>Reduz os valores negativos em vez de zerá-los.</translation>
    </message>
    <message>
        <source>Scales raw pixels to the range that networks learn best with.</source>
        <translation>Escala os pixels brutos para o intervalo com que redes aprendem melhor.</translation>
    </message>
    <message>
        <source>Scales steps to the size of Adam's.</source>
        <translation>Escala os passos para o tamanho dos do Adam.</translation>
    </message>
    <message>
        <source>Scaling per channel</source>
        <translation>Escala por canal</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Agendamento</translation>
    </message>
    <message>
        <source>Schedule options</source>
        <translation>Opções do agendamento</translation>
    </message>
    <message>
        <source>Schedule-free AdamW</source>
        <translation>AdamW sem agendamentomento</translation>
    </message>
    <message>
        <source>Searching for duplicates</source>
        <translation>Procurando duplicatas</translation>
    </message>
    <message>
        <source>Seconds between checkpoints, from which a run resumes exactly.</source>
        <translation>Segundos entre checkpoints, dos quais um treino é retomado exatamente.</translation>
    </message>
    <message>
        <source>See all: studio help glossary</source>
        <translation>Ver todas: studio help glossary</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Semente</translation>
    </message>
    <message>
        <source>Seed of the images and the initial weights.</source>
        <translation>Semente das imagens e dos pesos iniciais.</translation>
    </message>
    <message>
        <source>Seed of the initial weights, the order of the images and the augmentation.</source>
        <translation>Semente dos pesos iniciais, da ordem das imagens e do aumento de dados.</translation>
    </message>
    <message>
        <source>Seed of the random numbers.</source>
        <translation>Semente dos números aleatórios.</translation>
    </message>
    <message>
        <source>Seed of the sampler</source>
        <translation>Semente do amostrador</translation>
    </message>
    <message>
        <source>Seed that determines the selected values.</source>
        <translation>Semente que determina os valores selecionados.</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Sementes</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>Segmentação</translation>
    </message>
    <message>
        <source>Select at least two.</source>
        <translation>Selecione pelo menos duas.</translation>
    </message>
    <message>
        <source>Separable block</source>
        <translation>Bloco separável</translation>
    </message>
    <message>
        <source>Separable convolution</source>
        <translation>Convolução separável</translation>
    </message>
    <message>
        <source>Separate source of the test images; none are split off then.</source>
        <translation>Fonte separada para as imagens de teste; nesse caso nenhuma é separada das demais.</translation>
    </message>
    <message>
        <source>Separate source of the validation images; none are split off then.</source>
        <translation>Fonte separada para as imagens de validação; nesse caso nenhuma é separada das demais.</translation>
    </message>
    <message>
        <source>Serving needs {package}, which is not installed.</source>
        <translation>O servidor precisa de {package}, que não está instalado.</translation>
    </message>
    <message>
        <source>Set all but one of {fields} to 0.</source>
        <translation>Defina todos menos um de {fields} como 0.</translation>
    </message>
    <message>
        <source>Set by sweeps that search for fast networks.</source>
        <translation>Definido por varreduras que buscam redes rápidas.</translation>
    </message>
    <message>
        <source>Set it if the computer is needed for something else; a paused benchmark can be resumed.</source>
        <translation>Defina se o computador for necessário para outra coisa; um benchmark pausado pode ser retomado.</translation>
    </message>
    <message>
        <source>Set it to 0.</source>
        <translation>Defina como 0.</translation>
    </message>
    <message>
        <source>Set it to the size of your own images to estimate your training.</source>
        <translation>Use o tamanho das suas imagens para estimar o seu treino.</translation>
    </message>
    <message>
        <source>Set it to where the validation curve becomes flat.</source>
        <translation>Defina-o onde a curva de validação fica plana.</translation>
    </message>
    <message>
        <source>Set the number of trials or hours.</source>
        <translation>Defina o número de tentativas ou de horas.</translation>
    </message>
    <message>
        <source>Set the rates of backbone and head to 1, or choose another optimizer.</source>
        <translation>Defina as taxas do backbone e da cabeça como 1, ou escolha outro otimizador.</translation>
    </message>
    <message>
        <source>Set the warm-up to 0.</source>
        <translation>Defina o aquecimento como 0.</translation>
    </message>
    <message>
        <source>Set them to where the validation curve has become flat.</source>
        <translation>Defina-os onde a curva de validação ficou plana.</translation>
    </message>
    <message>
        <source>Set {group} directly.</source>
        <translation>Defina {group} diretamente.</translation>
    </message>
    <message>
        <source>Set {operations} to 0, or set place to auto.</source>
        <translation>Defina {operations} como 0 ou place como auto.</translation>
    </message>
    <message>
        <source>Set {share:.0%} of the values after it to zero in training.</source>
        <translation>Zere {share:.0%} dos valores depois dela durante o treino.</translation>
    </message>
    <message>
        <source>Set {share:.0%} of the values before it to zero in training.</source>
        <translation>Zere {share:.0%} dos valores antes dela durante o treino.</translation>
    </message>
    <message>
        <source>Sets negative values to zero and limits large values.</source>
        <translation>Zera os valores negativos e limita os grandes.</translation>
    </message>
    <message>
        <source>Sets random channels to zero in training; for convolutions.</source>
        <translation>Zera canais aleatórios no treino; para convoluções.</translation>
    </message>
    <message>
        <source>Sets random values to zero in training, against overfitting.</source>
        <translation>Zera valores aleatórios no treino, contra o sobreajuste.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>Several small windows</source>
        <translation>Várias janelas pequenas</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Formato</translation>
    </message>
    <message>
        <source>Shared along</source>
        <translation>Comum ao longo de</translation>
    </message>
    <message>
        <source>Sharing along height and width leaves one slope per channel: fewer weights, and any image size works.</source>
        <translation>Compartilhar ao longo de altura e largura deixa uma inclinação por canal: menos pesos, e qualquer tamanho de imagem serve.</translation>
    </message>
    <message>
        <source>Shear</source>
        <translation>Cisalhamento</translation>
    </message>
    <message>
        <source>Shift</source>
        <translation>Deslocamento</translation>
    </message>
    <message>
        <source>Shifts each channel to the mean that pretrained weights expect, often minus the mean color.</source>
        <translation>Desloca cada canal para a média que os pesos pré-treinados esperam, muitas vezes menos a cor média.</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>Atalho</translation>
    </message>
    <message>
        <source>Shows which images were misclassified in each epoch, and how each layer changed.</source>
        <translation>Mostra que imagens foram mal classificadas em cada época e como cada camada mudou.</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>Embaralhar</translation>
    </message>
    <message>
        <source>Shuffles the training images in every epoch.</source>
        <translation>Embaralha as imagens de treino em cada época.</translation>
    </message>
    <message>
        <source>Side and stride of the pooling window.</source>
        <translation>Lado e passo da janela de pooling.</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Lado a lado</translation>
    </message>
    <message>
        <source>Side of a square crop: random in training, centered otherwise.</source>
        <translation>Lado de um recorte quadrado: aleatório no treino, centralizado nos demais casos.</translation>
    </message>
    <message>
        <source>Side of the convolution kernel.</source>
        <translation>Lado do kernel da convolução.</translation>
    </message>
    <message>
        <source>Side of the images in pixels; empty for the default of each network.</source>
        <translation>Lado das imagens em pixels; vazio para o padrão de cada rede.</translation>
    </message>
    <message>
        <source>Side of the window.</source>
        <translation>Lado da janela.</translation>
    </message>
    <message>
        <source>Sides of the images and matrices in pixels, separated by commas.</source>
        <translation>Lados das imagens e matrizes em pixels, separados por vírgulas.</translation>
    </message>
    <message>
        <source>Sigmoid</source>
        <translation>Sigmoide</translation>
    </message>
    <message>
        <source>Simple and wide; its features are used for style transfer and by many detectors.</source>
        <translation>Simples e larga; suas características são usadas em transferência de estilo e por muitos detectores.</translation>
    </message>
    <message>
        <source>Simple recurrent</source>
        <translation>Recorrente simples</translation>
    </message>
    <message>
        <source>Six convolutions with batch normalization: strong on small images, fine on a CPU.</source>
        <translation>Seis convoluções com normalização em lote: forte em imagens pequenas, boa em uma CPU.</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamanho</translation>
    </message>
    <message>
        <source>Size and color</source>
        <translation>Tamanho e cor</translation>
    </message>
    <message>
        <source>Size of steps</source>
        <translation>Tamanho dos passos</translation>
    </message>
    <message>
        <source>Size of the model</source>
        <translation>Tamanho do modelo</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Tamanhos</translation>
    </message>
    <message>
        <source>Sizes without the batch, separated by commas; -1 stands for what is left.</source>
        <translation>Tamanhos sem o lote, separados por vírgulas; -1 representa o que sobra.</translation>
    </message>
    <message>
        <source>Skipped {number} points and lines, which have no area.</source>
        <translation>{number} pontos e linhas, que não têm área, foram ignorados.</translation>
    </message>
    <message>
        <source>Sleep stops a training that runs overnight. The screen may turn off, and closing the lid or choosing Sleep still works.</source>
        <translation>A suspensão interrompe um treino que roda durante a noite. A tela pode desligar, e fechar a tampa ou escolher Suspender ainda funciona.</translation>
    </message>
    <message>
        <source>Slope</source>
        <translation>Inclinação</translation>
    </message>
    <message>
        <source>Small CNN</source>
        <translation>CNN pequena</translation>
    </message>
    <message>
        <source>Small ResNet for 32x32</source>
        <translation>ResNet pequena para 32x32</translation>
    </message>
    <message>
        <source>Small ResNet for 64x64</source>
        <translation>ResNet pequena para 64x64</translation>
    </message>
    <message>
        <source>Small U-Net</source>
        <translation>U-Net pequena</translation>
    </message>
    <message>
        <source>Small networks leave most of a device idle.</source>
        <translation>Redes pequenas deixam ociosa a maior parte de um dispositivo.</translation>
    </message>
    <message>
        <source>Small sizes show the overhead of a call, large ones the cost of computation; use both.</source>
        <translation>Tamanhos pequenos mostram o custo de uma chamada; grandes, o do cálculo; use ambos.</translation>
    </message>
    <message>
        <source>Small turns, moves and changes of light; safe for most pictures, also of digits.</source>
        <translation>Pequenas rotações, deslocamentos e mudanças de luz; seguro para a maioria das imagens, também de dígitos.</translation>
    </message>
    <message>
        <source>Small values show small groups, large ones the overall structure.</source>
        <translation>Valores pequenos mostram grupos pequenos; grandes, a estrutura geral.</translation>
    </message>
    <message>
        <source>Small, uniform</source>
        <translation>Pequeno, uniforme</translation>
    </message>
    <message>
        <source>Smaller batches learn more from few images.</source>
        <translation>Lotes menores aprendem mais com poucas imagens.</translation>
    </message>
    <message>
        <source>Smaller than the window makes windows overlap, as in AlexNet (3 and 2).</source>
        <translation>Menor que a janela faz as janelas se sobreporem, como na AlexNet (3 e 2).</translation>
    </message>
    <message>
        <source>Smallest change of the monitored metric that counts as an improvement.</source>
        <translation>Menor mudança da métrica monitorada que conta como melhoria.</translation>
    </message>
    <message>
        <source>Smallest norm of weights by which steps are scaled.</source>
        <translation>Menor norma dos pesos pela qual os passos são escalados.</translation>
    </message>
    <message>
        <source>Snapshot every</source>
        <translation>Cópia dos pesos a cada</translation>
    </message>
    <message>
        <source>Snapshots to keep</source>
        <translation>Cópias a manter</translation>
    </message>
    <message>
        <source>Softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>Softplus</source>
        <translation>Softplus</translation>
    </message>
    <message>
        <source>Solves the head again on training and validation images, with the selected C.</source>
        <translation>Resolve a cabeça outra vez com imagens de treino e validação, com o C escolhido.</translation>
    </message>
    <message>
        <source>Sometimes more stable with consistent gradients; needs one more number per weight.</source>
        <translation>Às vezes mais estável com gradientes consistentes; precisa de um número a mais por peso.</translation>
    </message>
    <message>
        <source>Source of the initial weights: empty for random ones, imagenet, run:NAME, or a file.</source>
        <translation>Origem dos pesos iniciais: vazio para aleatórios, imagenet, run:NAME ou um arquivo.</translation>
    </message>
    <message>
        <source>Source: imagenet, a file, or run:ID; empty uses what is available.</source>
        <translation>Origem: imagenet, um arquivo ou run:ID; vazio usa o que estiver disponível.</translation>
    </message>
    <message>
        <source>Spatial dropout</source>
        <translation>Dropout espacial</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Velocidade</translation>
    </message>
    <message>
        <source>Speed of the decay.</source>
        <translation>Velocidade do decaimento.</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Divisão</translation>
    </message>
    <message>
        <source>Split again.</source>
        <translation>Divida de novo.</translation>
    </message>
    <message>
        <source>Split the dataset again, stratified, or add images.</source>
        <translation>Divida o conjunto de dados de novo, de forma estratificada, ou adicione imagens.</translation>
    </message>
    <message>
        <source>Split to evaluate on; only the test images are unseen.</source>
        <translation>Divisão a avaliar; apenas as imagens de teste são inéditas.</translation>
    </message>
    <message>
        <source>Split whose images are shown.</source>
        <translation>Divisão cujas imagens são mostradas.</translation>
    </message>
    <message>
        <source>Squash (stretch to fit)</source>
        <translation>Esticar até caber</translation>
    </message>
    <message>
        <source>Squash distorts; crop removes borders; fill adds borders; half crop is between crop and fill.</source>
        <translation>Achatar distorce; cortar remove as bordas; preencher acrescenta uma borda; meio corte fica entre cortar e preencher.</translation>
    </message>
    <message>
        <source>Squeezed filters</source>
        <translation>Filtros comprimidos</translation>
    </message>
    <message>
        <source>Stabilizes the first steps.</source>
        <translation>Estabiliza os primeiros passos.</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Estágios</translation>
    </message>
    <message>
        <source>Stages of convolutions, then dense layers: choose how many of each.</source>
        <translation>Estágios de convoluções, depois camadas densas: escolha quantos de cada.</translation>
    </message>
    <message>
        <source>Standard deviation of a random change of size.</source>
        <translation>Desvio padrão de uma mudança aleatória de tamanho.</translation>
    </message>
    <message>
        <source>Standard deviation of the noise, as a percentage of full brightness.</source>
        <translation>Desvio padrão do ruído, em porcentagem do brilho máximo.</translation>
    </message>
    <message>
        <source>Standard deviation of the noise, in the units of what comes in.</source>
        <translation>Desvio padrão do ruído, nas unidades do que entra.</translation>
    </message>
    <message>
        <source>Start a new run with its plan.</source>
        <translation>Comece um novo treino com o plano dele.</translation>
    </message>
    <message>
        <source>Start a new run with this plan.</source>
        <translation>Comece um novo treino com este plano.</translation>
    </message>
    <message>
        <source>Start from pretrained weights, such as imagenet.</source>
        <translation>Comece com pesos pré-treinados, como imagenet.</translation>
    </message>
    <message>
        <source>Start one with ray start --head, and other nodes with ray start --address HOST:6379.</source>
        <translation>Inicie um com ray start --head, e outros nós com ray start --address HOST:6379.</translation>
    </message>
    <message>
        <source>Start values</source>
        <translation>Valores iniciais</translation>
    </message>
    <message>
        <source>Start with 0.0001 against overfitting.</source>
        <translation>Comece com 0,0001 contra o sobreajuste.</translation>
    </message>
    <message>
        <source>Start with 10 to 20 per varied field. You can extend the sweep later.</source>
        <translation>Comece com 10 a 20 por campo variado. Você pode estender a varredura depois.</translation>
    </message>
    <message>
        <source>Start with the learning rate, then batch size, weight decay and the network.</source>
        <translation>Comece pela taxa de aprendizado, depois tamanho do lote, weight decay e a rede.</translation>
    </message>
    <message>
        <source>Starting weights</source>
        <translation>Pesos iniciais</translation>
    </message>
    <message>
        <source>Stays high, then decreases smoothly around one point.</source>
        <translation>Fica alta, depois diminui suavemente em torno de um ponto.</translation>
    </message>
    <message>
        <source>Steepness</source>
        <translation>Inclinação da queda</translation>
    </message>
    <message>
        <source>Steepness of the decrease.</source>
        <translation>Inclinação da queda.</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Passo</translation>
    </message>
    <message>
        <source>Step between the values of a linear range.</source>
        <translation>Passo entre os valores de um intervalo linear.</translation>
    </message>
    <message>
        <source>Step down</source>
        <translation>Em degraus</translation>
    </message>
    <message>
        <source>Step of the window; 2 halves the image.</source>
        <translation>Passo da janela; 2 reduz a imagem à metade.</translation>
    </message>
    <message>
        <source>Step of the window; as long as the window when empty.</source>
        <translation>Passo da janela; igual ao tamanho dela quando vazio.</translation>
    </message>
    <message>
        <source>Step size of the optimizer.</source>
        <translation>Tamanho do passo do otimizador.</translation>
    </message>
    <message>
        <source>Steps at given points</source>
        <translation>Degraus em pontos dados</translation>
    </message>
    <message>
        <source>Steps in which the rate rises.</source>
        <translation>Passos em que a taxa sobe.</translation>
    </message>
    <message>
        <source>Steps of constant size; use a third of Adam's rate and more weight decay.</source>
        <translation>Passos de tamanho constante; use um terço da taxa do Adam e mais decaimento de pesos.</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>Pare-a primeiro.</translation>
    </message>
    <message>
        <source>Stop that {kind} first, or wait for it.</source>
        <translation>Pare isso primeiro ({kind}), ou espere.</translation>
    </message>
    <message>
        <source>Stopped early at step {step}: {metric} did not improve on {best:.4g} {count} times in a row.</source>
        <translation>Parado cedo no passo {step}: {metric} não melhorou em relação a {best:.4g} {count} vezes seguidas.</translation>
    </message>
    <message>
        <source>Storage format of the pixels.</source>
        <translation>Formato de armazenamento dos pixels.</translation>
    </message>
    <message>
        <source>Stores predictions on validation images and weight norms at every validation.</source>
        <translation>Guarda as previsões das imagens de validação e as normas dos pesos a cada validação.</translation>
    </message>
    <message>
        <source>Stratified</source>
        <translation>Estratificado</translation>
    </message>
    <message>
        <source>Stratified preserves the distribution of classes, labels and quantities in each split. By group keeps related images in one split, which avoids leakage.</source>
        <translation>Estratificado preserva a distribuição de classes, rótulos e grandezas em cada divisão. Por grupo mantém imagens relacionadas em uma só divisão, o que evita vazamento.</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Intensidade</translation>
    </message>
    <message>
        <source>Strength of three blended chains of operations; 0 is off.</source>
        <translation>Intensidade de três cadeias de operações combinadas; 0 desativa.</translation>
    </message>
    <message>
        <source>Strength of two random operations out of fourteen; 0 is off.</source>
        <translation>Intensidade de duas operações aleatórias entre quatorze; 0 desativa.</translation>
    </message>
    <message>
        <source>Stride</source>
        <translation>Passo da janela</translation>
    </message>
    <message>
        <source>Strong</source>
        <translation>Forte</translation>
    </message>
    <message>
        <source>Studio cannot access {file}: {reason}.</source>
        <translation>O Studio não consegue acessar {file}: {reason}.</translation>
    </message>
    <message>
        <source>Studio computes with {backend}; to add {other}: {command}</source>
        <translation>O Studio calcula com {backend}; para adicionar {other}: {command}</translation>
    </message>
    <message>
        <source>Studio has a bug: {kind}: {reason}</source>
        <translation>O Studio tem um erro: {kind}: {reason}</translation>
    </message>
    <message>
        <source>Studio is not installed on a node of the Ray cluster.</source>
        <translation>O Studio não está instalado em um nó do cluster Ray.</translation>
    </message>
    <message>
        <source>Subject of the benchmark.</source>
        <translation>Objeto do benchmark.</translation>
    </message>
    <message>
        <source>Subset accuracy</source>
        <translation>Acurácia exata</translation>
    </message>
    <message>
        <source>Subtract</source>
        <translation>Subtrair</translation>
    </message>
    <message>
        <source>Subtract mean</source>
        <translation>Subtrair a média</translation>
    </message>
    <message>
        <source>Subtract the mean of the training images in the network.</source>
        <translation>Subtrair na rede a média das imagens de treino.</translation>
    </message>
    <message>
        <source>Subtracts the mean of the training images.</source>
        <translation>Subtrai a média das imagens de treino.</translation>
    </message>
    <message>
        <source>Subtracts the second branch from the first.</source>
        <translation>Subtrai o segundo ramo do primeiro.</translation>
    </message>
    <message>
        <source>Successive halving (ASHA)</source>
        <translation>Halving sucessivo (ASHA)</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>Soma</translation>
    </message>
    <message>
        <source>Supported formats: {formats}; or a dataset of this task.</source>
        <translation>Formatos compatíveis: {formats}; ou um conjunto de dados desta tarefa.</translation>
    </message>
    <message>
        <source>Supported: {kinds}.</source>
        <translation>Aceitos: {kinds}.</translation>
    </message>
    <message>
        <source>Supported: {suffixes}.</source>
        <translation>Suportados: {suffixes}.</translation>
    </message>
    <message>
        <source>Swaps axes, for example rows and columns.</source>
        <translation>Troca eixos, por exemplo linhas e colunas.</translation>
    </message>
    <message>
        <source>Swish (SiLU)</source>
        <translation>Swish (SiLU)</translation>
    </message>
    <message>
        <source>Switch augmentation off, or let the gradient train the head.</source>
        <translation>Desligue o aumento de dados, ou deixe o gradiente treinar a cabeça.</translation>
    </message>
    <message>
        <source>Switch it off before batch normalization, which has its own.</source>
        <translation>Desligue antes da normalização em lote, que tem o seu próprio.</translation>
    </message>
    <message>
        <source>T-shirt or top</source>
        <translation>Camiseta ou blusa</translation>
    </message>
    <message>
        <source>TPE (Bayesian)</source>
        <translation>TPE (bayesiano)</translation>
    </message>
    <message>
        <source>Tanh</source>
        <translation>Tanh</translation>
    </message>
    <message>
        <source>Target columns</source>
        <translation>Colunas dos alvos</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tarefa</translation>
    </message>
    <message>
        <source>Task that networks learn on the images.</source>
        <translation>Tarefa que as redes aprendem com as imagens.</translation>
    </message>
    <message>
        <source>Temperature scaling is not suggested: a temperature of {temperature:.2f} would change the calibration error on these images from {before:.1%} to {after:.1%}.</source>
        <translation>O ajuste por temperatura não é sugerido: uma temperatura de {temperature:.2f} mudaria o erro de calibração nestas imagens de {before:.1%} para {after:.1%}.</translation>
    </message>
    <message>
        <source>Temporary files</source>
        <translation>Arquivos temporários</translation>
    </message>
    <message>
        <source>Ten or more are needed to learn a class; classes of one or two only add noise.</source>
        <translation>São necessárias dez ou mais para aprender uma classe; classes de uma ou duas só acrescentam ruído.</translation>
    </message>
    <message>
        <source>TensorBoard files</source>
        <translation>Arquivos do TensorBoard</translation>
    </message>
    <message>
        <source>TensorFlow</source>
        <translation>TensorFlow</translation>
    </message>
    <message>
        <source>TensorRT in onnxruntime</source>
        <translation>TensorRT no onnxruntime</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Teste</translation>
    </message>
    <message>
        <source>Test images</source>
        <translation>Imagens de teste</translation>
    </message>
    <message>
        <source>Test images stay, and folds have equal size</source>
        <translation>As imagens de teste permanecem, e os folds têm tamanho igual</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Text file with one class name per line, if the labels are numbers.</source>
        <translation>Arquivo de texto com um nome de classe por linha, se os rótulos forem números.</translation>
    </message>
    <message>
        <source>Text, CSV or TSV file with a path and a label per line</source>
        <translation>Arquivo de texto, CSV ou TSV com um caminho e um rótulo por linha</translation>
    </message>
    <message>
        <source>That is less than is usual for {optimizer}: {low:g} to {high:g}.</source>
        <translation>Isso é menos que o usual para {optimizer}: {low:g} a {high:g}.</translation>
    </message>
    <message>
        <source>The COCO files in {labels} contain {boxes} boxes, but no polygons or RLE.</source>
        <translation>Os arquivos COCO em {labels} contêm {boxes} caixas, mas nenhum polígono ou RLE.</translation>
    </message>
    <message>
        <source>The COCO files in {labels} refer to none of the images in {pictures}.</source>
        <translation>Os arquivos COCO em {labels} não citam nenhuma das imagens em {pictures}.</translation>
    </message>
    <message>
        <source>The CPU cannot prepare the images fast enough. Use less augmentation, store raw pixels instead of PNG or JPEG, or allow more CPU threads.</source>
        <translation>A CPU não consegue preparar as imagens depressa o bastante. Use menos aumento de dados, guarde pixels brutos em vez de PNG ou JPEG, ou permita mais threads da CPU.</translation>
    </message>
    <message>
        <source>The GPU is underused: use larger batches, or several runs at the same time.</source>
        <translation>A GPU está subutilizada: use lotes maiores, ou vários treinos ao mesmo tempo.</translation>
    </message>
    <message>
        <source>The ImageNet weights are a download of {size:.0f} MB.</source>
        <translation>Os pesos da ImageNet são um download de {size:.0f} MB.</translation>
    </message>
    <message>
        <source>The Ray cluster</source>
        <translation>O cluster Ray</translation>
    </message>
    <message>
        <source>The Ray cluster at {address} cannot be used: {reason}</source>
        <translation>O cluster Ray em {address} não pode ser usado: {reason}</translation>
    </message>
    <message>
        <source>The S3 endpoint must be an address; received "{endpoint}".</source>
        <translation>O endpoint do S3 deve ser um endereço; recebido "{endpoint}".</translation>
    </message>
    <message>
        <source>The address must show the list of class folders that a web server writes.</source>
        <translation>O endereço precisa mostrar a lista de pastas de classes que um servidor web escreve.</translation>
    </message>
    <message>
        <source>The annotations have {classes} classes ({names}); received {given} values.</source>
        <translation>As anotações têm {classes} classes ({names}); foram recebidos {given} valores.</translation>
    </message>
    <message>
        <source>The audit has no finding "{finding}".</source>
        <translation>A auditoria não tem o achado "{finding}".</translation>
    </message>
    <message>
        <source>The automatic choice tries seven values on the validation split, or cross-validation when that split has fewer than 30 images.</source>
        <translation>A escolha automática testa sete valores na divisão de validação, ou usa validação cruzada quando ela tem menos de 30 imagens.</translation>
    </message>
    <message>
        <source>The averaged weights are validated and saved. They are often slightly better than the last ones.</source>
        <translation>Os pesos médios são validados e salvos. Muitas vezes são um pouco melhores que os últimos.</translation>
    </message>
    <message>
        <source>The backbone "{backbone}" has no input.</source>
        <translation>O backbone "{backbone}" não tem entrada.</translation>
    </message>
    <message>
        <source>The backbone "{backbone}" has no layer "{layer}".</source>
        <translation>O backbone "{backbone}" não tem a camada "{layer}".</translation>
    </message>
    <message>
        <source>The backbone "{backbone}" has no layer or block "{layer}" to freeze.</source>
        <translation>O backbone "{backbone}" não tem camada ou bloco "{layer}" para congelar.</translation>
    </message>
    <message>
        <source>The background color</source>
        <translation>A cor de fundo</translation>
    </message>
    <message>
        <source>The base learning rate is {learning_rate:g} from now on.</source>
        <translation>A taxa de aprendizado de base é {learning_rate:g} daqui em diante.</translation>
    </message>
    <message>
        <source>The baseline reached {accuracy} with these weights.</source>
        <translation>A linha de base alcançou {accuracy} com estes pesos.</translation>
    </message>
    <message>
        <source>The benchmark "{benchmark}" is {state}, so it cannot be resumed.</source>
        <translation>O benchmark "{benchmark}" está {state}, por isso não pode ser retomado.</translation>
    </message>
    <message>
        <source>The benchmark "{name}" is completed; there is nothing left to measure.</source>
        <translation>O benchmark "{name}" está concluído; não resta nada a medir.</translation>
    </message>
    <message>
        <source>The best epoch</source>
        <translation>A melhor época</translation>
    </message>
    <message>
        <source>The best epoch is the one with the best monitored metric.</source>
        <translation>A melhor época é a que tem a melhor métrica monitorada.</translation>
    </message>
    <message>
        <source>The card {file} of the model cannot be read.</source>
        <translation>A ficha {file} do modelo não pode ser lida.</translation>
    </message>
    <message>
        <source>The channels are usual: all other sides must then be the same.</source>
        <translation>Os canais são o usual: todos os outros lados precisam então ser iguais.</translation>
    </message>
    <message>
        <source>The checkpoint belongs to another network or optimizer.</source>
        <translation>O checkpoint é de outra rede ou otimizador.</translation>
    </message>
    <message>
        <source>The checkpoint {path} cannot be read: {kind}.</source>
        <translation>O checkpoint {path} não pode ser lido: {kind}.</translation>
    </message>
    <message>
        <source>The class "{class_name}" already exists.</source>
        <translation>A classe "{class_name}" já existe.</translation>
    </message>
    <message>
        <source>The classic for biomedical images: fine maps on the way down are joined with coarse ones on the way up. 31 million weights: slow on a CPU.</source>
        <translation>O clássico para imagens biomédicas: mapas finos do caminho de descida são unidos aos mais grossos do caminho de subida. 31 milhões de pesos: lenta em uma CPU.</translation>
    </message>
    <message>
        <source>The classic for handwritten digits: small, fast, and enough for simple images.</source>
        <translation>O clássico para dígitos manuscritos: pequena, rápida e suficiente para imagens simples.</translation>
    </message>
    <message>
        <source>The columns of {file} need unique names; received {columns}.</source>
        <translation>As colunas de {file} precisam de nomes únicos; recebido: {columns}.</translation>
    </message>
    <message>
        <source>The content of the clipboard cannot be pasted: {reason}.</source>
        <translation>O conteúdo da área de transferência não pode ser colado: {reason}.</translation>
    </message>
    <message>
        <source>The cost grows with its square; most networks use 3.</source>
        <translation>O custo cresce com o quadrado dele; a maioria das redes usa 3.</translation>
    </message>
    <message>
        <source>The dataset</source>
        <translation>O conjunto de dados</translation>
    </message>
    <message>
        <source>The dataset "{dataset}" has no class "{class_name}".</source>
        <translation>O conjunto de dados "{dataset}" não tem a classe "{class_name}".</translation>
    </message>
    <message>
        <source>The dataset "{dataset}" has no {split} images.</source>
        <translation>O conjunto de dados "{dataset}" não tem imagens de {split}.</translation>
    </message>
    <message>
        <source>The dataset "{dataset}" was deleted.</source>
        <translation>O conjunto de dados "{dataset}" foi excluído.</translation>
    </message>
    <message>
        <source>The dataset has changed since.</source>
        <translation>O conjunto de dados mudou desde então.</translation>
    </message>
    <message>
        <source>The dataset has no image "{image}" (and not {number} others).</source>
        <translation>O conjunto de dados não tem a imagem "{image}" (nem {number} outras).</translation>
    </message>
    <message>
        <source>The dataset has no image "{image}".</source>
        <translation>O conjunto de dados não tem a imagem "{image}".</translation>
    </message>
    <message>
        <source>The dataset has no training images to compare with.</source>
        <translation>O conjunto de dados não tem imagens de treino para comparar.</translation>
    </message>
    <message>
        <source>The dataset has no {splits} images.</source>
        <translation>O conjunto de dados não tem imagens de {splits}.</translation>
    </message>
    <message>
        <source>The dataset has {count} classes; received the number {number}.</source>
        <translation>O conjunto de dados tem {count} classes; recebido o número {number}.</translation>
    </message>
    <message>
        <source>The dataset in {folder} has different edits than the original.</source>
        <translation>O conjunto de dados em {folder} tem edições diferentes das do original.</translation>
    </message>
    <message>
        <source>The dataset is already as it was in version {version}.</source>
        <translation>O conjunto de dados já está como na versão {version}.</translation>
    </message>
    <message>
        <source>The dataset is for {task:lower}.</source>
        <translation>O conjunto de dados é para {task:lower}.</translation>
    </message>
    <message>
        <source>The dataset itself can still be used.</source>
        <translation>O conjunto de dados em si ainda pode ser usado.</translation>
    </message>
    <message>
        <source>The dataset no longer exists.</source>
        <translation>O conjunto de dados não existe mais.</translation>
    </message>
    <message>
        <source>The dataset of the run "{run}" was deleted, and this needs its images.</source>
        <translation>O conjunto de dados do treino "{run}" foi excluído, e isto precisa de suas imagens.</translation>
    </message>
    <message>
        <source>The dataset was audited again; this finding no longer exists.</source>
        <translation>O conjunto de dados foi auditado de novo; esta descoberta não existe mais.</translation>
    </message>
    <message>
        <source>The dataset was deleted.</source>
        <translation>O conjunto de dados foi excluído.</translation>
    </message>
    <message>
        <source>The dataset was written by a newer Studio (format {version}; this one reads up to {supported}).</source>
        <translation>O conjunto de dados foi gravado por um Studio mais novo (formato {version}; este lê até {supported}).</translation>
    </message>
    <message>
        <source>The dataset would be added to itself, which would duplicate every image.</source>
        <translation>O conjunto de dados seria adicionado a si mesmo, o que duplicaria cada imagem.</translation>
    </message>
    <message>
        <source>The deepest of its family; only slightly better than VGG-16.</source>
        <translation>A mais profunda da família; só um pouco melhor que a VGG-16.</translation>
    </message>
    <message>
        <source>The device failed during the training: {reason}</source>
        <translation>O dispositivo falhou durante o treino: {reason}</translation>
    </message>
    <message>
        <source>The disk of {file} does not answer: {reason}.</source>
        <translation>O disco de {file} não responde: {reason}.</translation>
    </message>
    <message>
        <source>The disk of {file} is read-only.</source>
        <translation>O disco de {file} é somente leitura.</translation>
    </message>
    <message>
        <source>The download of {file} is damaged and was discarded: {reason}.</source>
        <translation>O download de {file} está danificado e foi descartado: {reason}.</translation>
    </message>
    <message>
        <source>The early layers, which detect edges and colors, stay frozen; the upper third learns slowly and the head at full rate. For a few hundred images per class.</source>
        <translation>As primeiras camadas, que detectam bordas e cores, ficam congeladas; o terço superior aprende devagar, e a cabeça, com a taxa inteira. Para algumas centenas de imagens por classe.</translation>
    </message>
    <message>
        <source>The edits of {folder} belong to other images: {reason}</source>
        <translation>As edições de {folder} pertencem a outras imagens: {reason}</translation>
    </message>
    <message>
        <source>The effect of more data cannot be estimated: {reason}.</source>
        <translation>O efeito de mais dados não pode ser estimado: {reason}.</translation>
    </message>
    <message>
        <source>The export</source>
        <translation>A exportação</translation>
    </message>
    <message>
        <source>The export {file} cannot be read: {reason}.</source>
        <translation>A exportação {file} não pode ser lida: {reason}.</translation>
    </message>
    <message>
        <source>The export {folder} contains no Keras model; its format is {format}.</source>
        <translation>A exportação {folder} não contém um modelo Keras; o formato dela é {format}.</translation>
    </message>
    <message>
        <source>The exported file ({format}) cannot be run, exit code {code}: {reason}.</source>
        <translation>O arquivo exportado ({format}) não pode ser executado, código de saída {code}: {reason}.</translation>
    </message>
    <message>
        <source>The exported file ({format}) did not respond within {seconds:g} seconds.</source>
        <translation>O arquivo exportado ({format}) não respondeu em {seconds:g} segundos.</translation>
    </message>
    <message>
        <source>The exported file ({format}) gives outputs of shape {shape}; the model gives {expected}.</source>
        <translation>O arquivo exportado ({format}) dá saídas de forma {shape}; o modelo dá {expected}.</translation>
    </message>
    <message>
        <source>The exported file ({format}) gives outputs that are not finite numbers.</source>
        <translation>O arquivo exportado ({format}) dá saídas que não são números finitos.</translation>
    </message>
    <message>
        <source>The exported file {file} is not valid ONNX: {reason}.</source>
        <translation>O arquivo exportado {file} não é ONNX válido: {reason}.</translation>
    </message>
    <message>
        <source>The fastest of {number} is {speed:,.4g} ({settings}), which is within {share:.0%}.</source>
        <translation>O mais rápido de {number} é {speed:,.4g} ({settings}), o que fica dentro de {share:.0%}.</translation>
    </message>
    <message>
        <source>The features of {rows:,} images need {needed:,.0f} MB; the cache is limited to {limit:,.0f} MB.</source>
        <translation>As características de {rows:,} imagens precisam de {needed:,.0f} MB; o cache é limitado a {limit:,.0f} MB.</translation>
    </message>
    <message>
        <source>The file "{file}" already exists.</source>
        <translation>O arquivo "{file}" já existe.</translation>
    </message>
    <message>
        <source>The file begins with "{layer}", {shapes}, and has {number} layers.</source>
        <translation>O arquivo começa com "{layer}", {shapes}, e tem {number} camadas.</translation>
    </message>
    <message>
        <source>The file may be damaged or malicious. Import it in smaller parts.</source>
        <translation>O arquivo pode estar danificado ou ser malicioso. Importe-o em partes menores.</translation>
    </message>
    <message>
        <source>The file may be damaged, or the machine is out of memory.</source>
        <translation>O arquivo pode estar danificado, ou a máquina ficou sem memória.</translation>
    </message>
    <message>
        <source>The file {file}</source>
        <translation>O arquivo {file}</translation>
    </message>
    <message>
        <source>The file {file} cannot be read: {reason}.</source>
        <translation>O arquivo {file} não pode ser lido: {reason}.</translation>
    </message>
    <message>
        <source>The file {file} is damaged or is not a dataset of Studio: {reason}.</source>
        <translation>O arquivo {file} está danificado ou não é um conjunto de dados do Studio: {reason}.</translation>
    </message>
    <message>
        <source>The file {file} is damaged: {reason}.</source>
        <translation>O arquivo {file} está danificado: {reason}.</translation>
    </message>
    <message>
        <source>The files are in {files}, and marked. Choose another precision, or a larger tolerance.</source>
        <translation>Os arquivos estão em {files}, e marcados. Escolha outra precisão, ou uma tolerância maior.</translation>
    </message>
    <message>
        <source>The files copied to the nodes of the cluster could not be removed: {reason}</source>
        <translation>Não foi possível remover os arquivos copiados para os nós do cluster: {reason}</translation>
    </message>
    <message>
        <source>The finding "{finding}" has no images left.</source>
        <translation>O achado "{finding}" não tem mais imagens.</translation>
    </message>
    <message>
        <source>The first deep network to win ImageNet: wide windows, and most weights in the head.</source>
        <translation>A primeira rede profunda a vencer o ImageNet: janelas largas, e a maior parte dos pesos na cabeça.</translation>
    </message>
    <message>
        <source>The first epoch includes start-up time; three or more show the usual speed.</source>
        <translation>A primeira época inclui custos de início; três ou mais mostram a velocidade usual.</translation>
    </message>
    <message>
        <source>The first line of {file} names no column of images; its columns are {columns}.</source>
        <translation>A primeira linha de {file} não indica uma coluna de imagens; as colunas são {columns}.</translation>
    </message>
    <message>
        <source>The folder "{folder}" contains no images, so it is not a class.</source>
        <translation>A pasta "{folder}" não contém imagens, portanto não é uma classe.</translation>
    </message>
    <message>
        <source>The folder "{folder}" contains no images.</source>
        <translation>A pasta "{folder}" não contém imagens.</translation>
    </message>
    <message>
        <source>The folder {folder} cannot be written to: {reason}.</source>
        <translation>Não é possível gravar na pasta {folder}: {reason}.</translation>
    </message>
    <message>
        <source>The folder {folder} contains no pictures.</source>
        <translation>A pasta {folder} não contém imagens.</translation>
    </message>
    <message>
        <source>The folder {folder} no longer exists.</source>
        <translation>A pasta {folder} não existe mais.</translation>
    </message>
    <message>
        <source>The folder {path} contains no exported model.</source>
        <translation>A pasta {path} não contém um modelo exportado.</translation>
    </message>
    <message>
        <source>The folders in {folder} are splits ({splits}), not classes.</source>
        <translation>As pastas em {folder} são divisões ({splits}), não classes.</translation>
    </message>
    <message>
        <source>The format "{format}" is not available for {task:lower}.</source>
        <translation>O formato "{format}" não está disponível para {task:lower}.</translation>
    </message>
    <message>
        <source>The format {format} does not support the precision "{precision}".</source>
        <translation>O formato {format} não aceita a precisão "{precision}".</translation>
    </message>
    <message numerus="yes">
        <source>The format {format} needs {packages}, which are not installed.</source>
        <translation><numerusform>O formato {format} precisa de {packages}, que não está instalado.</numerusform><numerusform>O formato {format} precisa de {packages}, que não estão instalados.</numerusform></translation>
    </message>
    <message>
        <source>The formats, each with its precision.</source>
        <translation>Os formatos, cada um com a sua precisão.</translation>
    </message>
    <message>
        <source>The frame {file} cannot be written: {reason}.</source>
        <translation>O quadro {file} não pode ser gravado: {reason}.</translation>
    </message>
    <message>
        <source>The frozen layers do not change, so training uses their features ({count} per image, {sizes}), which is many times faster.</source>
        <translation>As camadas congeladas não mudam; por isso o treino usa suas características ({count} por imagem, {sizes}), muitas vezes mais rápido.</translation>
    </message>
    <message>
        <source>The frozen layers process all images once, before the first epoch; the features computed here are reused by the run.</source>
        <translation>As camadas congeladas processam todas as imagens uma vez, antes da primeira época; as características calculadas aqui são reutilizadas pelo treino.</translation>
    </message>
    <message>
        <source>The glossary has no entry "{word}".</source>
        <translation>O glossário não tem o verbete "{word}".</translation>
    </message>
    <message>
        <source>The head is solved in closed form, without training steps</source>
        <translation>A cabeça é resolvida diretamente, sem passos de treino</translation>
    </message>
    <message>
        <source>The head of this run was fitted directly, not by gradient descent, so there are no epochs that a script could repeat.</source>
        <translation>A cabeça deste treino foi ajustada diretamente, não por descida do gradiente; por isso não há épocas que um script possa repetir.</translation>
    </message>
    <message>
        <source>The head of {network} uses features of {count} layers, so a linear classifier cannot replace it.</source>
        <translation>A cabeça de {network} usa características de {count} camadas; por isso um classificador linear não pode substituí-la.</translation>
    </message>
    <message>
        <source>The head was refitted on training and validation images; the validation metrics are from before.</source>
        <translation>A cabeça foi reajustada nas imagens de treino e validação; as métricas de validação são as anteriores.</translation>
    </message>
    <message>
        <source>The ignore value of class indexes is a number from 0 to 65535; received "{text}".</source>
        <translation>O valor ignorado de índices de classes é um número de 0 a 65535; foi recebido "{text}".</translation>
    </message>
    <message>
        <source>The ignore value of colored masks is a color such as #ffffff; received "{text}".</source>
        <translation>O valor ignorado de máscaras coloridas é uma cor, como #ffffff; foi recebido "{text}".</translation>
    </message>
    <message>
        <source>The image {image} in row {row} of the dataset is damaged: {reason}.</source>
        <translation>A imagem {image} na linha {row} do conjunto de dados está danificada: {reason}.</translation>
    </message>
    <message>
        <source>The images are imported, but the audit failed: {reason}</source>
        <translation>As imagens estão importadas, mas a auditoria falhou: {reason}</translation>
    </message>
    <message>
        <source>The images are imported, but the audit was stopped.</source>
        <translation>As imagens estão importadas, mas a auditoria foi parada.</translation>
    </message>
    <message>
        <source>The images are not cut into tiles</source>
        <translation>As imagens não são recortadas</translation>
    </message>
    <message>
        <source>The images are unlike those of the weights, so early layers have to change, too, but slowly, because there are few images.</source>
        <translation>As imagens são diferentes das dos pesos, por isso as primeiras camadas também precisam mudar, mas devagar, porque há poucas imagens.</translation>
    </message>
    <message>
        <source>The images of "{dataset}" are no longer at {source}, so they cannot be imported again.</source>
        <translation>As imagens de "{dataset}" não estão mais em {source}, então não podem ser importadas de novo.</translation>
    </message>
    <message>
        <source>The images of "{dataset}" have changed since the import, so its {count} edits cannot be applied to another size.</source>
        <translation>As imagens de "{dataset}" mudaram desde a importação, por isso as suas {count} edições não podem ser aplicadas a outro tamanho.</translation>
    </message>
    <message>
        <source>The images of "{dataset}" have {answers}; a corrected picture has one class.</source>
        <translation>As imagens de "{dataset}" têm {answers}; uma imagem corrigida tem uma classe.</translation>
    </message>
    <message>
        <source>The images of the dataset have the shape {shape}; the model expects {expected}.</source>
        <translation>As imagens do conjunto de dados têm o formato {shape}; o modelo espera {expected}.</translation>
    </message>
    <message>
        <source>The images of this dataset do not have a single class each.</source>
        <translation>As imagens deste conjunto de dados não têm uma única classe cada.</translation>
    </message>
    <message>
        <source>The images of this dataset have a class but no other targets.</source>
        <translation>As imagens deste conjunto de dados têm uma classe, mas nenhum outro alvo.</translation>
    </message>
    <message>
        <source>The images of this task have no masks</source>
        <translation>As imagens desta tarefa não têm máscaras</translation>
    </message>
    <message>
        <source>The images of {size} were resized to the {expected} that the model expects.</source>
        <translation>As imagens de {size} foram redimensionadas para os {expected} que o modelo espera.</translation>
    </message>
    <message>
        <source>The images of {stored_width}x{stored_height} were resized to {width}x{height} for the network.</source>
        <translation>As imagens de {stored_width}x{stored_height} foram redimensionadas para {width}x{height} para a rede.</translation>
    </message>
    <message>
        <source>The import of this dataset was not finished.</source>
        <translation>A importação deste conjunto de dados não foi concluída.</translation>
    </message>
    <message>
        <source>The import was not finished, or its folder was changed; import the images again.</source>
        <translation>A importação não foi concluída, ou a pasta foi mudada; importe as imagens de novo.</translation>
    </message>
    <message>
        <source>The importance of fields needs {fewest} finished trials; there are {count}.</source>
        <translation>A importância dos campos precisa de {fewest} tentativas concluídas; há {count}.</translation>
    </message>
    <message>
        <source>The job was deleted.</source>
        <translation>O trabalho foi excluído.</translation>
    </message>
    <message>
        <source>The last epoch</source>
        <translation>A última época</translation>
    </message>
    <message>
        <source>The last layer needs one unit per class. In earlier layers, more units learn more, but overfit sooner.</source>
        <translation>A última camada precisa de uma unidade por classe. Nas anteriores, mais unidades aprendem mais, mas sobreajustam antes.</translation>
    </message>
    <message>
        <source>The last layers respond to classes, the first ones to colors and edges.</source>
        <translation>As últimas camadas respondem a classes, as primeiras a cores e bordas.</translation>
    </message>
    <message>
        <source>The layer "{layer}" ({kind}) cannot be read: {reason}.</source>
        <translation>A camada "{layer}" ({kind}) não pode ser lida: {reason}.</translation>
    </message>
    <message>
        <source>The layer "{layer}" ({kind}) does not support its input, {received}: {reason}</source>
        <translation>A camada "{layer}" ({kind}) não aceita a sua entrada, {received}: {reason}</translation>
    </message>
    <message>
        <source>The layer "{layer}" is called with additional arguments: {arguments}.</source>
        <translation>A camada "{layer}" é chamada com argumentos adicionais: {arguments}.</translation>
    </message>
    <message>
        <source>The layer "{layer}" is used several times with the same weights.</source>
        <translation>A camada "{layer}" é usada várias vezes com os mesmos pesos.</translation>
    </message>
    <message>
        <source>The layer "{layer}" returns {count} tensors; only one is supported.</source>
        <translation>A camada "{layer}" devolve {count} tensores; só um é aceito.</translation>
    </message>
    <message>
        <source>The layer "{layer}" takes {count} tensors.</source>
        <translation>A camada "{layer}" recebe {count} tensores.</translation>
    </message>
    <message>
        <source>The layer that reads in both directions.</source>
        <translation>A camada que lê nas duas direções.</translation>
    </message>
    <message>
        <source>The layers of "{network}" cannot be put in order: {layers}.</source>
        <translation>As camadas de "{network}" não podem ser ordenadas: {layers}.</translation>
    </message>
    <message>
        <source>The learning rate is never lowered</source>
        <translation>A taxa de aprendizado nunca é reduzida</translation>
    </message>
    <message>
        <source>The learning rate is too high</source>
        <translation>A taxa de aprendizado é alta demais</translation>
    </message>
    <message>
        <source>The learning rate is too low</source>
        <translation>A taxa de aprendizado é baixa demais</translation>
    </message>
    <message>
        <source>The lightest head on pretrained features: a gate over the whole image and two maps per class. Can start from ImageNet.</source>
        <translation>A cabeça mais leve sobre características pré-treinadas: uma porta sobre a imagem inteira e dois mapas por classe. Pode partir da ImageNet.</translation>
    </message>
    <message>
        <source>The list of skipped files in {folder} cannot be read.</source>
        <translation>A lista de arquivos pulados em {folder} não pode ser lida.</translation>
    </message>
    <message>
        <source>The loss became infinite within the first steps: lower the learning rate.</source>
        <translation>A perda ficou infinita nos primeiros passos: reduza a taxa de aprendizado.</translation>
    </message>
    <message>
        <source>The loss decreases, but the metric does not improve</source>
        <translation>A perda cai, mas a métrica não melhora</translation>
    </message>
    <message>
        <source>The loss diverged after {count} steps: too few for a result.</source>
        <translation>A perda divergiu após {count} passos: poucos demais para um resultado.</translation>
    </message>
    <message>
        <source>The loss does not clearly decrease at any rate, so none can be suggested.</source>
        <translation>A perda não cai claramente em nenhuma taxa, por isso nenhuma pode ser sugerida.</translation>
    </message>
    <message>
        <source>The loss shows growing uncertainty before the accuracy does; top-5 suits very many classes.</source>
        <translation>A perda mostra a incerteza crescente antes da acurácia; top-5 convém a muitas classes.</translation>
    </message>
    <message>
        <source>The machine ran out of memory.</source>
        <translation>A máquina ficou sem memória.</translation>
    </message>
    <message>
        <source>The main branch: usually the most filters.</source>
        <translation>O ramo principal: em geral, com mais filtros.</translation>
    </message>
    <message>
        <source>The map in {path} cannot be read.</source>
        <translation>O mapa em {path} não pode ser lido.</translation>
    </message>
    <message>
        <source>The masks are colored, but the classes have only names, no colors.</source>
        <translation>As máscaras são coloridas, mas as classes têm apenas nomes, sem cores.</translation>
    </message>
    <message>
        <source>The masks have {colors} colors; at most {limit} classes are possible.</source>
        <translation>As máscaras têm {colors} cores; são possíveis no máximo {limit} classes.</translation>
    </message>
    <message>
        <source>The masks have {values} values; at most {limit} classes are possible.</source>
        <translation>As máscaras têm {values} valores; são possíveis no máximo {limit} classes.</translation>
    </message>
    <message>
        <source>The masks of the dataset in {folder} cannot be read: {reason}.</source>
        <translation>Não foi possível ler as máscaras do conjunto de dados em {folder}: {reason}.</translation>
    </message>
    <message>
        <source>The measured files of {file} no longer exist.</source>
        <translation>Os arquivos medidos de {file} não existem mais.</translation>
    </message>
    <message>
        <source>The model "{model}" is a custom class; its connections are known to its code only.</source>
        <translation>O modelo "{model}" é uma classe personalizada; só seu código conhece as conexões.</translation>
    </message>
    <message>
        <source>The model computes "{operation}" ({kind}) outside of a layer.</source>
        <translation>O modelo calcula "{operation}" ({kind}) fora de uma camada.</translation>
    </message>
    <message>
        <source>The model does not scale pixels. It receives raw pixels from 0 to 255; if it was trained on another range, add a rescaling before its first layer.</source>
        <translation>O modelo não escala os pixels. Ele recebe pixels brutos de 0 a 255; se foi treinado com outro intervalo, acrescente uma reescala antes da primeira camada.</translation>
    </message>
    <message>
        <source>The model ends in one number for two classes; a dense layer of two classes with softmax takes its place.</source>
        <translation>O modelo termina em um número para duas classes; uma camada densa de duas classes com softmax fica em seu lugar.</translation>
    </message>
    <message>
        <source>The model ends in one number that is not the probability of a class.</source>
        <translation>O modelo termina em um número que não é a probabilidade de uma classe.</translation>
    </message>
    <message>
        <source>The model ends in scores that are not probabilities; a softmax was added.</source>
        <translation>O modelo termina em pontuações que não são probabilidades; um softmax foi acrescentado.</translation>
    </message>
    <message>
        <source>The model ends in {count} sigmoids, one probability per label; only one class per image is supported.</source>
        <translation>O modelo termina em {count} sigmoides, uma probabilidade por rótulo; só uma classe por imagem é aceita.</translation>
    </message>
    <message>
        <source>The model ends in {last_layer} and has no head; a dense layer of {classes} classes was added, which is replaced for each dataset.</source>
        <translation>O modelo termina em {last_layer} e não tem cabeça; foi adicionada uma camada densa de {classes} classes, que é substituída para cada conjunto de dados.</translation>
    </message>
    <message>
        <source>The model expects channels first, {shape}; Studio supports only channels last.</source>
        <translation>O modelo espera os canais primeiro, {shape}; o Studio só aceita os canais por último.</translation>
    </message>
    <message>
        <source>The model expects images with {channels} channels; images have 1 (gray) or 3 (color).</source>
        <translation>O modelo espera imagens com {channels} canais; imagens têm 1 (cinza) ou 3 (cor).</translation>
    </message>
    <message>
        <source>The model expects {shape}, which is not an image of height x width x channels.</source>
        <translation>O modelo espera {shape}, que não é uma imagem de altura x largura x canais.</translation>
    </message>
    <message>
        <source>The model file does not name its classes; those of the dataset are used in order.</source>
        <translation>O arquivo do modelo não nomeia suas classes; as do conjunto de dados são usadas na ordem.</translation>
    </message>
    <message>
        <source>The model has a duplicate output, or none.</source>
        <translation>O modelo tem uma saída repetida, ou nenhuma.</translation>
    </message>
    <message>
        <source>The model has no layer "{layer}".</source>
        <translation>O modelo não tem a camada "{layer}".</translation>
    </message>
    <message>
        <source>The model has no output "{output}".</source>
        <translation>O modelo não tem a saída "{output}".</translation>
    </message>
    <message>
        <source>The model has several inputs; only one image is supported.</source>
        <translation>O modelo tem várias entradas; só uma imagem é aceita.</translation>
    </message>
    <message>
        <source>The model has {count} inputs; only one image is supported.</source>
        <translation>O modelo tem {count} entradas; só uma imagem é aceita.</translation>
    </message>
    <message>
        <source>The model has {count} outputs, {sizes}; one score per class is expected.</source>
        <translation>O modelo tem {count} saídas, {sizes}; é esperada uma pontuação por classe.</translation>
    </message>
    <message>
        <source>The model is available after the first epoch.</source>
        <translation>O modelo fica disponível após a primeira época.</translation>
    </message>
    <message>
        <source>The model outputs features, {shape}, not probabilities of classes.</source>
        <translation>O modelo produz características, {shape}, e não probabilidades de classes.</translation>
    </message>
    <message>
        <source>The model outputs {shape}; one score per class is expected.</source>
        <translation>O modelo produz {shape}; é esperada uma pontuação por classe.</translation>
    </message>
    <message>
        <source>The model predicts masks of shape {shape}, but its class names are unknown.</source>
        <translation>O modelo prevê máscaras de forma {shape}, mas os nomes das suas classes são desconhecidos.</translation>
    </message>
    <message>
        <source>The model predicts values that are not numbers.</source>
        <translation>O modelo prevê valores que não são números.</translation>
    </message>
    <message>
        <source>The model supports images of any size; {side}x{side} is used, and you can choose another.</source>
        <translation>O modelo aceita imagens de qualquer tamanho; é usado {side}x{side}, e você pode escolher outro.</translation>
    </message>
    <message>
        <source>The model {file} expects images of {size} and {classes} classes; it is to be used with {wanted_size} and {wanted_classes} classes.</source>
        <translation>O modelo {file} espera imagens de {size} e {classes} classes; ele deve ser usado com {wanted_size} e {wanted_classes} classes.</translation>
    </message>
    <message>
        <source>The model {model} does not have the classes {classes} of the dataset.</source>
        <translation>O modelo {model} não tem as classes {classes} do conjunto de dados.</translation>
    </message>
    <message>
        <source>The model {model} predicts {answers} ({task}); the dataset has {targets} ({dataset_task}).</source>
        <translation>O modelo {model} prevê {answers} ({task}); o conjunto de dados tem {targets} ({dataset_task}).</translation>
    </message>
    <message>
        <source>The model {model} predicts {count} unnamed classes; the dataset has {classes}.</source>
        <translation>O modelo {model} prevê {count} classes sem nome; o conjunto de dados tem {classes}.</translation>
    </message>
    <message>
        <source>The model {path} cannot be opened: {reason}.</source>
        <translation>O modelo {path} não pode ser aberto: {reason}.</translation>
    </message>
    <message>
        <source>The momentum of this optimizer: closer to 1 is more stable, 0.5 to 0.8 adapts faster.</source>
        <translation>O momentum deste otimizador: mais perto de 1 é mais estável, 0,5 a 0,8 se adapta mais depressa.</translation>
    </message>
    <message>
        <source>The most effective remedy for overfitting with few images. Needs more epochs.</source>
        <translation>O remédio mais eficaz contra o sobreajuste com poucas imagens. Precisa de mais épocas.</translation>
    </message>
    <message>
        <source>The name "{name}" is already taken by another dataset.</source>
        <translation>O nome "{name}" já é usado por outro conjunto de dados.</translation>
    </message>
    <message>
        <source>The name "{name}" is already taken by another {kind}.</source>
        <translation>O nome "{name}" já é usado por outro item ({kind}).</translation>
    </message>
    <message>
        <source>The name has {number} characters.</source>
        <translation>O nome tem {number} caracteres.</translation>
    </message>
    <message>
        <source>The name is empty.</source>
        <translation>O nome está vazio.</translation>
    </message>
    <message>
        <source>The name {name} contains a slash or an unprintable character.</source>
        <translation>O nome {name} contém uma barra ou um caractere não imprimível.</translation>
    </message>
    <message>
        <source>The network "{network}" has no layer "{layer}", which is to be an output.</source>
        <translation>A rede "{network}" não tem a camada "{layer}", que deveria ser uma saída.</translation>
    </message>
    <message>
        <source>The network cannot be written as {format}: {reason}.</source>
        <translation>A rede não pode ser gravada como {format}: {reason}.</translation>
    </message>
    <message>
        <source>The network ends in {shape}, but there are {classes} classes.</source>
        <translation>A rede termina em {shape}, mas há {classes} classes.</translation>
    </message>
    <message>
        <source>The network has no layer "{layer}".</source>
        <translation>A rede não tem a camada "{layer}".</translation>
    </message>
    <message>
        <source>The network itself if it is not built in, so that the run needs no other file.</source>
        <translation>A própria rede, se não for integrada; o treino não precisa de outro arquivo.</translation>
    </message>
    <message>
        <source>The network overfits its training images</source>
        <translation>A rede sobreajusta as imagens de treino</translation>
    </message>
    <message>
        <source>The network returns features that are not numbers.</source>
        <translation>A rede retorna características que não são números.</translation>
    </message>
    <message>
        <source>The network that DIGITS began with: one coarse map per class, enlarged 32 times.</source>
        <translation>A rede com que o DIGITS começou: um mapa grosso por classe, ampliado 32 vezes.</translation>
    </message>
    <message>
        <source>The network {file} cannot be read: {reason}.</source>
        <translation>A rede {file} não pode ser lida: {reason}.</translation>
    </message>
    <message>
        <source>The next change replaces the file and keeps this one as {file}.</source>
        <translation>A próxima alteração substitui o arquivo e guarda este como {file}.</translation>
    </message>
    <message>
        <source>The next trial waits for {memory}: it needs about {needed:.1f} GB, and {free:.1f} GB are free while other trials run.</source>
        <translation>A próxima tentativa espera por {memory}: precisa de cerca de {needed:.1f} GB, e {free:.1f} GB estão livres enquanto outras estão em execução.</translation>
    </message>
    <message>
        <source>The node {host} of the Ray cluster</source>
        <translation>O nó {host} do cluster Ray</translation>
    </message>
    <message>
        <source>The node {host} of the Ray cluster has Studio {remote}; this is {version}.</source>
        <translation>O nó {host} do cluster Ray tem o Studio {remote}; este é {version}.</translation>
    </message>
    <message>
        <source>The other epochs are not affected.</source>
        <translation>As outras épocas não são afetadas.</translation>
    </message>
    <message>
        <source>The output of the network has the shape {shape}; a class for each pixel requires {expected}.</source>
        <translation>A saída da rede tem a forma {shape}; uma classe por pixel exige {expected}.</translation>
    </message>
    <message>
        <source>The outputs after the first one are treated as auxiliary heads.</source>
        <translation>As saídas após a primeira são tratadas como cabeças auxiliares.</translation>
    </message>
    <message>
        <source>The outputs in {folder} belong to other images.</source>
        <translation>As saídas em {folder} pertencem a outras imagens.</translation>
    </message>
    <message>
        <source>The outputs of the evaluation in {folder} cannot be read.</source>
        <translation>Não foi possível ler as saídas da avaliação em {folder}.</translation>
    </message>
    <message>
        <source>The pages of {address} list no images.</source>
        <translation>As páginas de {address} não listam imagens.</translation>
    </message>
    <message>
        <source>The pages of {address} list no images; the first skipped file: {file}: {reason}.</source>
        <translation>As páginas de {address} não listam imagens; o primeiro arquivo ignorado: {file}: {reason}.</translation>
    </message>
    <message>
        <source>The partial import is damaged in row {row}: {reason}.</source>
        <translation>A importação parcial está danificada na linha {row}: {reason}.</translation>
    </message>
    <message>
        <source>The pasted picture cannot be saved in {folder}.</source>
        <translation>A imagem colada não pode ser salva em {folder}.</translation>
    </message>
    <message>
        <source>The path is empty.</source>
        <translation>O caminho está vazio.</translation>
    </message>
    <message>
        <source>The pattern "{pattern}" matches no path; one of them is "{path}".</source>
        <translation>O padrão "{pattern}" não corresponde a nenhum caminho; um deles é "{path}".</translation>
    </message>
    <message>
        <source>The picture cannot be saved in {folder}.</source>
        <translation>A imagem não pode ser salva em {folder}.</translation>
    </message>
    <message>
        <source>The picture cannot be written as PNG: {reason}.</source>
        <translation>A imagem não pode ser gravada como PNG: {reason}.</translation>
    </message>
    <message>
        <source>The picture could not be written to "{path}".</source>
        <translation>A imagem não pôde ser gravada em "{path}".</translation>
    </message>
    <message>
        <source>The picture does not fit into memory.</source>
        <translation>A imagem não cabe na memória.</translation>
    </message>
    <message>
        <source>The picture in the clipboard cannot be read.</source>
        <translation>Não é possível ler a imagem da área de transferência.</translation>
    </message>
    <message>
        <source>The picture {picture} cannot be read: {reason}.</source>
        <translation>A imagem {picture} não pode ser lida: {reason}.</translation>
    </message>
    <message>
        <source>The picture {picture} is larger than {limit} MB.</source>
        <translation>A imagem {picture} tem mais de {limit} MB.</translation>
    </message>
    <message>
        <source>The plan {file} cannot be read: {reason}.</source>
        <translation>O plano {file} não pode ser lido: {reason}.</translation>
    </message>
    <message>
        <source>The prediction engine ended unexpectedly ({reason}).</source>
        <translation>O motor de previsão terminou inesperadamente ({reason}).</translation>
    </message>
    <message>
        <source>The prediction engine ended unexpectedly while reading {file}.</source>
        <translation>O motor de previsão terminou inesperadamente ao ler {file}.</translation>
    </message>
    <message>
        <source>The prediction engine ended unexpectedly.</source>
        <translation>O motor de previsão terminou inesperadamente.</translation>
    </message>
    <message>
        <source>The predictions in {path} cannot be read.</source>
        <translation>As previsões em {path} não podem ser lidas.</translation>
    </message>
    <message>
        <source>The probabilities in {folder} belong to other images.</source>
        <translation>As probabilidades em {folder} pertencem a outras imagens.</translation>
    </message>
    <message>
        <source>The published network, without its head.</source>
        <translation>A rede publicada, sem a cabeça.</translation>
    </message>
    <message>
        <source>The queue is busy.</source>
        <translation>A fila está ocupada.</translation>
    </message>
    <message>
        <source>The rate also decreases with the square root of the steps; for a constant schedule.</source>
        <translation>A taxa também diminui com a raiz quadrada dos passos; para um agendamento constante.</translation>
    </message>
    <message>
        <source>The reference file was not written.</source>
        <translation>O arquivo de referência não foi gravado.</translation>
    </message>
    <message>
        <source>The rest of the dataset</source>
        <translation>O resto do conjunto de dados</translation>
    </message>
    <message>
        <source>The results so far are kept.</source>
        <translation>Os resultados até aqui são mantidos.</translation>
    </message>
    <message>
        <source>The review queue has no pictures.</source>
        <translation>A fila de revisão não tem imagens.</translation>
    </message>
    <message>
        <source>The review queue {path} cannot be read.</source>
        <translation>A fila de revisão {path} não pode ser lida.</translation>
    </message>
    <message>
        <source>The run "{run}" has no checkpoint "{checkpoint}".</source>
        <translation>O treino "{run}" não tem o checkpoint "{checkpoint}".</translation>
    </message>
    <message>
        <source>The run "{run}" has no checkpoint of epoch {epoch:g}.</source>
        <translation>O treino "{run}" não tem checkpoint da época {epoch:g}.</translation>
    </message>
    <message>
        <source>The run "{run}" has no checkpoint to resume from.</source>
        <translation>O treino "{run}" não tem checkpoint do qual retomar.</translation>
    </message>
    <message>
        <source>The run "{run}" is {state} and has no model yet.</source>
        <translation>O treino "{run}" está {state} e ainda não tem um modelo.</translation>
    </message>
    <message>
        <source>The run "{run}" is {state}, so it cannot be packed.</source>
        <translation>O treino "{run}" está {state}, por isso não pode ser empacotado.</translation>
    </message>
    <message>
        <source>The run "{run}" was trained on gray images, but these have colors.</source>
        <translation>O treino "{run}" usou imagens em cinza, mas estas têm cores.</translation>
    </message>
    <message>
        <source>The run does not contain the description of its network.</source>
        <translation>O treino não contém a descrição da sua rede.</translation>
    </message>
    <message numerus="yes">
        <source>The run needs {count} GPUs, but {backend} sees {found}.</source>
        <translation><numerusform>O treino precisa de {count} GPU, mas {backend} vê {found}.</numerusform><numerusform>O treino precisa de {count} GPUs, mas {backend} vê {found}.</numerusform></translation>
    </message>
    <message>
        <source>The run or dataset no longer exists.</source>
        <translation>O treino ou o conjunto de dados não existe mais.</translation>
    </message>
    <message>
        <source>The run or the one it started from no longer exists.</source>
        <translation>O treino, ou aquele do qual ele partiu, não existe mais.</translation>
    </message>
    <message>
        <source>The run started from weights ({weights}); the script starts at random.</source>
        <translation>O treino partiu de pesos ({weights}); o script parte de valores aleatórios.</translation>
    </message>
    <message>
        <source>The run was validated every {epochs:g} epochs; the script validates after each epoch.</source>
        <translation>O treino foi validado a cada {epochs:g} épocas; o script valida após cada época.</translation>
    </message>
    <message>
        <source>The run whose model is written.</source>
        <translation>O treino cujo modelo é gravado.</translation>
    </message>
    <message>
        <source>The same plan gives the same weights, bit for bit; can be slower on a GPU.</source>
        <translation>O mesmo plano dá os mesmos pesos, bit a bit; pode ser mais lento em GPU.</translation>
    </message>
    <message>
        <source>The same seed draws the same images.</source>
        <translation>A mesma semente sorteia as mesmas imagens.</translation>
    </message>
    <message>
        <source>The same seed draws the same map.</source>
        <translation>A mesma semente desenha o mesmo mapa.</translation>
    </message>
    <message>
        <source>The same seed gives the same split.</source>
        <translation>A mesma semente dá a mesma divisão.</translation>
    </message>
    <message>
        <source>The schedule has reached a rate of zero, which no factor changes.</source>
        <translation>O agendamento chegou a uma taxa de zero, que nenhum fator muda.</translation>
    </message>
    <message>
        <source>The scores of the model were converted to probabilities that sum to 1.</source>
        <translation>As pontuações do modelo foram convertidas em probabilidades que somam 1.</translation>
    </message>
    <message>
        <source>The script's prediction differs from that of its model file.</source>
        <translation>A previsão do script difere da do seu arquivo de modelo.</translation>
    </message>
    <message>
        <source>The sequential model "{model}" has no input size.</source>
        <translation>O modelo sequencial "{model}" não tem tamanho de entrada.</translation>
    </message>
    <message>
        <source>The settings cannot be written to {path}: {reason}.</source>
        <translation>As configurações não podem ser gravadas em {path}: {reason}.</translation>
    </message>
    <message>
        <source>The settings in {path} cannot be read, so the defaults are used.</source>
        <translation>Não é possível ler as configurações em {path}; valem os padrões.</translation>
    </message>
    <message>
        <source>The simplest network, also known as softmax regression: a baseline to beat.</source>
        <translation>A rede mais simples, também conhecida como regressão softmax: uma referência a superar.</translation>
    </message>
    <message>
        <source>The simplest recurrent layer; has a short memory.</source>
        <translation>A camada recorrente mais simples; tem memória curta.</translation>
    </message>
    <message>
        <source>The size of the original files is unknown: they were moved, not inspected, or are in an archive.</source>
        <translation>O tamanho dos arquivos originais é desconhecido: foram movidos, não foram inspecionados ou estão em um arquivo compactado.</translation>
    </message>
    <message>
        <source>The smallest of its family, from which the deeper ones were trained.</source>
        <translation>A menor da família, a partir da qual as mais profundas foram treinadas.</translation>
    </message>
    <message>
        <source>The smallest residual network for photographs.</source>
        <translation>A menor rede residual para fotografias.</translation>
    </message>
    <message>
        <source>The sources have {count} classes in total; masks can have at most {limit}.</source>
        <translation>As fontes têm {count} classes no total; máscaras podem ter no máximo {limit}.</translation>
    </message>
    <message>
        <source>The split belongs to other images.</source>
        <translation>A divisão pertence a outras imagens.</translation>
    </message>
    <message>
        <source>The split is damaged.</source>
        <translation>A divisão está danificada.</translation>
    </message>
    <message>
        <source>The standard reference for photographs.</source>
        <translation>A referência padrão para fotografias.</translation>
    </message>
    <message>
        <source>The standard step of modern networks.</source>
        <translation>O passo padrão das redes modernas.</translation>
    </message>
    <message>
        <source>The steps in {path} cannot be read.</source>
        <translation>Os passos em {path} não podem ser lidos.</translation>
    </message>
    <message>
        <source>The stored data of the run "{run}" cannot be read.</source>
        <translation>Os dados guardados do treino "{run}" não podem ser lidos.</translation>
    </message>
    <message>
        <source>The stored file {path} cannot be read.</source>
        <translation>O arquivo guardado {path} não pode ser lido.</translation>
    </message>
    <message>
        <source>The study of the sweep was damaged and has been rebuilt from the journal. The damaged file is kept as {file}.</source>
        <translation>O estudo da varredura estava danificado e foi reconstruído a partir do diário. O arquivo danificado fica guardado como {file}.</translation>
    </message>
    <message>
        <source>The summary of the dataset in {folder} cannot be read.</source>
        <translation>O resumo do conjunto de dados em {folder} não pode ser lido.</translation>
    </message>
    <message>
        <source>The sweep "{sweep}" chooses the values of a trial when it starts, so no trial is waiting.</source>
        <translation>A varredura "{sweep}" escolhe os valores de uma tentativa quando ela começa, por isso nenhuma tentativa espera.</translation>
    </message>
    <message>
        <source>The sweep "{sweep}" has no trial {number}.</source>
        <translation>A varredura "{sweep}" não tem a tentativa {number}.</translation>
    </message>
    <message>
        <source>The table has no column of numbers.</source>
        <translation>A tabela não tem nenhuma coluna de números.</translation>
    </message>
    <message>
        <source>The table has no column with labels.</source>
        <translation>A tabela não tem nenhuma coluna com rótulos.</translation>
    </message>
    <message>
        <source>The table has {count} labels.</source>
        <translation>A tabela tem {count} rótulos.</translation>
    </message>
    <message>
        <source>The table {file} cannot be read: {reason}.</source>
        <translation>A tabela {file} não pode ser lida: {reason}.</translation>
    </message>
    <message>
        <source>The target was not changed: {reason}.</source>
        <translation>O alvo não foi alterado: {reason}.</translation>
    </message>
    <message>
        <source>The targets of the dataset in {folder} cannot be read: {reason}.</source>
        <translation>Os alvos do conjunto de dados em {folder} não podem ser lidos: {reason}.</translation>
    </message>
    <message>
        <source>The task {task} cannot be loaded from {entry_point}: {reason}.</source>
        <translation>Não foi possível carregar a tarefa {task} de {entry_point}: {reason}.</translation>
    </message>
    <message>
        <source>The temporary folder {folder} of a node is not a folder of this user alone.</source>
        <translation>A pasta temporária {folder} de um nó não é uma pasta somente deste usuário.</translation>
    </message>
    <message>
        <source>The time limit of {minutes:g} minutes is reached. Resume the benchmark to continue for the same time again.</source>
        <translation>O limite de {minutes:g} minutos foi atingido. Retome o benchmark para continuar pelo mesmo tempo.</translation>
    </message>
    <message>
        <source>The time of t-SNE grows a little faster than the number of images.</source>
        <translation>O tempo do t-SNE cresce um pouco mais depressa que o número de imagens.</translation>
    </message>
    <message>
        <source>The training folders in {folder} hold no images.</source>
        <translation>As pastas de treino em {folder} não contêm imagens.</translation>
    </message>
    <message>
        <source>The training script failed, exit code {code}: {reason}.</source>
        <translation>O script de treino falhou, código de saída {code}: {reason}.</translation>
    </message>
    <message>
        <source>The training {loss:lower} decreased in {share:.0%} of the epochs, but only from {before} to {after} in {epochs} epochs, and still decreases.</source>
        <translation>No treino, {loss:lower} caiu em {share:.0%} das épocas, mas só de {before} para {after} em {epochs} épocas, e continua caindo.</translation>
    </message>
    <message>
        <source>The training {loss:lower} is {value} after {steps:,} steps; at the start it was {start}.</source>
        <translation>No treino, {loss:lower} está em {value} depois de {steps:,} passos; no início estava em {start}.</translation>
    </message>
    <message>
        <source>The training {loss:lower} jumps by {share:.0%} between steps</source>
        <translation>No treino, {loss:lower} oscila {share:.0%} entre passos</translation>
    </message>
    <message>
        <source>The training {loss:lower} rose to {highest}</source>
        <translation>No treino, {loss:lower} subiu até {highest}</translation>
    </message>
    <message>
        <source>The training {loss:lower} was undefined from the first step.</source>
        <translation>No treino, {loss:lower} esteve indefinida desde o primeiro passo.</translation>
    </message>
    <message>
        <source>The training {loss:lower} was {value} at step {step:,} and undefined after it.</source>
        <translation>No treino, {loss:lower} estava em {value} no passo {step:,} e depois ficou indefinida.</translation>
    </message>
    <message>
        <source>The trash contains records of several kinds called "{name}": {kinds}.</source>
        <translation>A lixeira contém registros de vários tipos com o nome "{name}": {kinds}.</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>A lixeira está vazia.</translation>
    </message>
    <message>
        <source>The trial was not moved because it has already started.</source>
        <translation>A tentativa não foi movida porque já começou.</translation>
    </message>
    <message>
        <source>The two evaluations use different images, or their dataset was deleted.</source>
        <translation>As duas avaliações usam imagens diferentes, ou o conjunto de dados foi excluído.</translation>
    </message>
    <message>
        <source>The weights of {network} could not be downloaded: {reason}.</source>
        <translation>Os pesos de {network} não puderam ser baixados: {reason}.</translation>
    </message>
    <message>
        <source>The weights {file} cannot be read: {reason}.</source>
        <translation>Não é possível ler os pesos {file}: {reason}.</translation>
    </message>
    <message>
        <source>The weights {file} cannot be used: {reason}.</source>
        <translation>Os pesos {file} não podem ser usados: {reason}.</translation>
    </message>
    <message>
        <source>The weights {file} fit {fitting} of the {layers} layers of {network}.</source>
        <translation>Os pesos {file} servem em {fitting} das {layers} camadas de {network}.</translation>
    </message>
    <message>
        <source>The worker process could not be started: {reason}.</source>
        <translation>O processo de trabalho não pôde ser iniciado: {reason}.</translation>
    </message>
    <message>
        <source>The worker process ended with exit code {code} before its work was done.</source>
        <translation>O processo de trabalho terminou com código de saída {code} antes de concluir o trabalho.</translation>
    </message>
    <message>
        <source>The worker process ended without a message: it was killed, it crashed, or the machine went down. Its last sign of life was at {time}.</source>
        <translation>O processo de trabalho terminou sem mensagem: foi morto, falhou, ou a máquina caiu. O último sinal de vida dele foi em {time}.</translation>
    </message>
    <message>
        <source>The worker process was ended by signal {signal}.</source>
        <translation>O processo de trabalho foi encerrado pelo sinal {signal}.</translation>
    </message>
    <message>
        <source>The worker process was killed (signal 9). If that was not you, the system probably ran out of memory.</source>
        <translation>O processo de trabalho foi morto (sinal 9). Se não foi você, o sistema provavelmente ficou sem memória.</translation>
    </message>
    <message>
        <source>The worker process {reason} (Windows code {code}).</source>
        <translation>O processo de trabalho {reason} (código do Windows {code}).</translation>
    </message>
    <message>
        <source>The workspace cannot be read: {reason}.</source>
        <translation>O espaço de trabalho não pode ser lido: {reason}.</translation>
    </message>
    <message>
        <source>The workspace {workspace} cannot be opened: {reason}.</source>
        <translation>O espaço de trabalho {workspace} não pode ser aberto: {reason}.</translation>
    </message>
    <message>
        <source>The workspace {workspace} is read-only.</source>
        <translation>O espaço de trabalho {workspace} é somente leitura.</translation>
    </message>
    <message>
        <source>The workspace {workspace} no longer exists, so the drawing cannot be saved.</source>
        <translation>O espaço de trabalho {workspace} não existe mais, então o desenho não pode ser salvo.</translation>
    </message>
    <message>
        <source>The workspace {workspace} no longer exists.</source>
        <translation>O espaço de trabalho {workspace} não existe mais.</translation>
    </message>
    <message>
        <source>The workspace {workspace} was written by a newer Studio (format {version}, this one reads up to {supported}).</source>
        <translation>O espaço de trabalho {workspace} foi gravado por um Studio mais novo (formato {version}, este lê até {supported}).</translation>
    </message>
    <message>
        <source>The {document} in {folder} cannot be read.</source>
        <translation>Não é possível ler {document} em {folder}.</translation>
    </message>
    <message>
        <source>The {kind} "{name}" is in use.</source>
        <translation>O item "{name}" ({kind}) está em uso.</translation>
    </message>
    <message>
        <source>The {kind} "{name}" is {state} and needs the {other_kind} "{other}".</source>
        <translation>{kind} "{name}": {state}; precisa de {other_kind} "{other}".</translation>
    </message>
    <message>
        <source>The {kind} "{name}" is {state}, and {purpose} needs a completed one.</source>
        <translation>O item "{name}" ({kind}) está {state}, e {purpose} precisa de um concluído.</translation>
    </message>
    <message>
        <source>The {kind} "{name}" is {state}, so {consequence}.</source>
        <translation>O item "{name}" ({kind}) está {state}, por isso {consequence}.</translation>
    </message>
    <message>
        <source>The {kind} "{name}" is {state}.</source>
        <translation>O item "{name}" ({kind}) está {state}.</translation>
    </message>
    <message>
        <source>The {kind} "{record}" cannot be deleted: {reason}.</source>
        <translation>O registro {kind} "{record}" não pode ser excluído: {reason}.</translation>
    </message>
    <message>
        <source>The {kind} "{record}" cannot be moved to the trash: {reason}.</source>
        <translation>O item "{record}" ({kind}) não pode ser movido para a lixeira: {reason}.</translation>
    </message>
    <message>
        <source>The {kind} "{record}" is not in the trash.</source>
        <translation>O registro {kind} "{record}" não está na lixeira.</translation>
    </message>
    <message>
        <source>The {kind} "{record}" names the file {file}, which is outside its folder.</source>
        <translation>O registro {kind} "{record}" indica o arquivo {file}, que está fora de sua pasta.</translation>
    </message>
    <message>
        <source>The {kind} in {folder} cannot be read: {file} is damaged.</source>
        <translation>Não é possível ler {kind} em {folder}: {file} está danificado.</translation>
    </message>
    <message>
        <source>The {kind} in {folder} cannot be read: {file} is missing.</source>
        <translation>Não é possível ler {kind} em {folder}: {file} está faltando.</translation>
    </message>
    <message>
        <source>The {kind} {id} was deleted before it ended.</source>
        <translation>{kind} {id} foi excluído antes de terminar.</translation>
    </message>
    <message>
        <source>The {loss} became infinite or undefined at step {step}.</source>
        <translation>O valor de {loss} ficou infinito ou indefinido no passo {step}.</translation>
    </message>
    <message>
        <source>The {number} biases of {layer} have no effect: the following {next_layer} subtracts the mean and has its own offset.</source>
        <translation>Os {number} vieses de {layer} não têm efeito: {next_layer} em seguida subtrai a média e tem seu próprio deslocamento.</translation>
    </message>
    <message>
        <source>The {option} has no effect: {reason}.</source>
        <translation>A opção {option} não tem efeito: {reason}.</translation>
    </message>
    <message>
        <source>There are about {images}.</source>
        <translation>Há cerca de {images}.</translation>
    </message>
    <message>
        <source>There are enough images for the upper layers, and too few for all of them.</source>
        <translation>Há imagens suficientes para as camadas superiores, e poucas demais para todas elas.</translation>
    </message>
    <message>
        <source>There are enough images to train all layers slowly.</source>
        <translation>Há imagens suficientes para treinar todas as camadas devagar.</translation>
    </message>
    <message>
        <source>There are many images, unlike those of the weights, which then help little.</source>
        <translation>Há muitas imagens, diferentes das dos pesos, que então ajudam pouco.</translation>
    </message>
    <message>
        <source>There are no ImageNet weights for {network}: it has no published backbone.</source>
        <translation>Não há pesos da ImageNet para {network}: não tem um backbone publicado.</translation>
    </message>
    <message>
        <source>There are no ImageNet weights for {network}: it has several kinds of published backbone.</source>
        <translation>Não há pesos da ImageNet para {network}: tem vários tipos de backbone publicado.</translation>
    </message>
    <message>
        <source>There are no downloaded weights of "{backbone}".</source>
        <translation>Não há pesos baixados de "{backbone}".</translation>
    </message>
    <message>
        <source>There are no failed jobs.</source>
        <translation>Não há trabalhos que falharam.</translation>
    </message>
    <message>
        <source>There are no images in {bucket}.</source>
        <translation>Não há imagens em {bucket}.</translation>
    </message>
    <message>
        <source>There are no images to evaluate on.</source>
        <translation>Não há imagens em que avaliar.</translation>
    </message>
    <message>
        <source>There are no pretrained weights on this machine, so handcrafted color and edge features are used. For a better estimate, download ImageNet weights (MobileNetV2 is small) or name a file.</source>
        <translation>Não há pesos pré-treinados nesta máquina, então são usadas características de cor e borda. Para uma estimativa melhor, baixe pesos ImageNet (MobileNetV2 é pequena) ou indique um arquivo.</translation>
    </message>
    <message>
        <source>There are no pretrained weights to start from.</source>
        <translation>Não há pesos pré-treinados de onde começar.</translation>
    </message>
    <message>
        <source>There are no separate {split} images, so their limits have no effect.</source>
        <translation>Não há imagens de {split} separadas, por isso os limites delas não têm efeito.</translation>
    </message>
    <message>
        <source>There are no weights of {network} on this machine.</source>
        <translation>Não há pesos de {network} nesta máquina.</translation>
    </message>
    <message numerus="yes">
        <source>There are {count:,} more problems.</source>
        <translation><numerusform>Há mais {count:,} problema.</numerusform><numerusform>Há mais {count:,} problemas.</numerusform></translation>
    </message>
    <message>
        <source>There are {count} images; received the number {number}.</source>
        <translation>Há {count} imagens; recebido o número {number}.</translation>
    </message>
    <message>
        <source>There is a separate source</source>
        <translation>Há uma fonte separada</translation>
    </message>
    <message>
        <source>There is no GPU support for this system.</source>
        <translation>Não há suporte a GPU para este sistema.</translation>
    </message>
    <message>
        <source>There is no Ray cluster at {address}: {reason}.</source>
        <translation>Não há um cluster Ray em {address}: {reason}.</translation>
    </message>
    <message>
        <source>There is no activation between {layer} and {next_layer}: with {weights} weights they are equivalent to one layer with a window of {height}x{width}. Add a ReLU between them.</source>
        <translation>Não há ativação entre {layer} e {next_layer}: com {weights} pesos, elas equivalem a uma única camada com janela de {height}x{width}. Coloque uma ReLU entre elas.</translation>
    </message>
    <message>
        <source>There is no activation between {layer} and {next_layer}: with {weights} weights they are equivalent to one layer. Add a ReLU between them.</source>
        <translation>Não há ativação entre {layer} e {next_layer}: com {weights} pesos, elas equivalem a uma única camada. Coloque uma ReLU entre elas.</translation>
    </message>
    <message>
        <source>There is no baseline for {task:lower}.</source>
        <translation>Não há linha de base para {task:lower}.</translation>
    </message>
    <message>
        <source>There is no class called "{class_name}" in {source}.</source>
        <translation>Não há uma classe chamada "{class_name}" em {source}.</translation>
    </message>
    <message>
        <source>There is no file or folder {source}.</source>
        <translation>Não há um arquivo ou pasta {source}.</translation>
    </message>
    <message>
        <source>There is no file {file}.</source>
        <translation>Não há um arquivo {file}.</translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation>Não há um arquivo {path}.</translation>
    </message>
    <message>
        <source>There is no folder {folder} for the paths of the list to start from.</source>
        <translation>Não há uma pasta {folder} de onde os caminhos da lista possam partir.</translation>
    </message>
    <message>
        <source>There is no help on "{topic}".</source>
        <translation>Não há ajuda sobre "{topic}".</translation>
    </message>
    <message>
        <source>There is no model at {path}.</source>
        <translation>Não há um modelo em {path}.</translation>
    </message>
    <message>
        <source>There is no model file {path}.</source>
        <translation>Não há um arquivo de modelo {path}.</translation>
    </message>
    <message>
        <source>There is no network "{name}", in the zoo, in the workspace or as a file.</source>
        <translation>Não há uma rede "{name}", nem no catálogo, nem no espaço de trabalho, nem como arquivo.</translation>
    </message>
    <message>
        <source>There is no precision "{precision}".</source>
        <translation>Não há uma precisão "{precision}".</translation>
    </message>
    <message>
        <source>There is no run and no model file "{name}".</source>
        <translation>Não há um treino nem um arquivo de modelo "{name}".</translation>
    </message>
    <message>
        <source>There is no space left to write {file}.</source>
        <translation>Não há espaço para gravar {file}.</translation>
    </message>
    <message>
        <source>There is no split called "{split}".</source>
        <translation>Não há uma divisão chamada "{split}".</translation>
    </message>
    <message>
        <source>There is no task "{name}".</source>
        <translation>Não há uma tarefa "{name}".</translation>
    </message>
    <message>
        <source>There is no training script for {task:lower}.</source>
        <translation>Não há script de treino para {task:lower}.</translation>
    </message>
    <message>
        <source>There is no weights file "{name}", but a run has that name.</source>
        <translation>Não há um arquivo de pesos "{name}", mas um treino tem esse nome.</translation>
    </message>
    <message>
        <source>There is no weights file {file}.</source>
        <translation>Não há um arquivo de pesos {file}.</translation>
    </message>
    <message>
        <source>There is no {kind} "{record}".</source>
        <translation>Não existe {kind} "{record}".</translation>
    </message>
    <message>
        <source>There is no {kind} called "{name}" in the trash.</source>
        <translation>Na lixeira não há {kind} com o nome "{name}".</translation>
    </message>
    <message>
        <source>There is no {kind} called "{name}".</source>
        <translation>Não há {kind} com o nome "{name}".</translation>
    </message>
    <message>
        <source>There is not enough memory for batches of {size} images.</source>
        <translation>Não há memória suficiente para lotes de {size} imagens.</translation>
    </message>
    <message>
        <source>There is nothing to change.</source>
        <translation>Não há nada a mudar.</translation>
    </message>
    <message>
        <source>There is nothing to redo.</source>
        <translation>Não há nada a refazer.</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>Não há nada a desfazer.</translation>
    </message>
    <message>
        <source>These images have {width}x{height} pixels. Import them again at 128 to 224 pixels, the size that pretrained networks expect.</source>
        <translation>Estas imagens têm {width}x{height} pixels. Importe-as de novo com 128 a 224 pixels, o tamanho que as redes pré-treinadas esperam.</translation>
    </message>
    <message>
        <source>These see single pixels and are cheap. The output is all branches together.</source>
        <translation>Estas veem pixels isolados e são baratas. A saída são todos os ramos juntos.</translation>
    </message>
    <message>
        <source>They apply until the window closes. Studio tries again after the next change.</source>
        <translation>Elas valem até a janela fechar. O Studio tenta de novo após a próxima mudança.</translation>
    </message>
    <message>
        <source>Third coefficient</source>
        <translation>Terceiro coeficiente</translation>
    </message>
    <message>
        <source>This baseline used features that no network computes, so no run can repeat it.</source>
        <translation>Esta linha de base usou características que nenhuma rede calcula, por isso nenhum treino pode repeti-la.</translation>
    </message>
    <message>
        <source>This dataset has the versions 0 to {newest}; received {version}.</source>
        <translation>Este conjunto de dados tem as versões 0 a {newest}; recebido {version}.</translation>
    </message>
    <message>
        <source>This disk cannot hold a file as large as {file} will be.</source>
        <translation>Este disco não comporta um arquivo do tamanho que {file} terá.</translation>
    </message>
    <message>
        <source>This evaluation has no report.</source>
        <translation>Esta avaliação não tem relatório.</translation>
    </message>
    <message>
        <source>This evaluation has no report: it is not complete, or was made by an older Studio.</source>
        <translation>Esta avaliação não tem relatório: não está completa, ou foi feita por um Studio mais antigo.</translation>
    </message>
    <message>
        <source>This machine has no {device}.</source>
        <translation>Esta máquina não tem {device}.</translation>
    </message>
    <message>
        <source>This resize leaves no border</source>
        <translation>Este redimensionamento não deixa borda</translation>
    </message>
    <message>
        <source>This run started in an older Studio with different rounding in augmentation: augmented images may differ by a few gray levels, so resuming is not bit-exact.</source>
        <translation>Este treino começou em um Studio mais antigo com outro arredondamento no aumento de dados: as imagens podem diferir em alguns níveis de cinza, então a retomada não é bit a bit.</translation>
    </message>
    <message>
        <source>This system allows no more open files.</source>
        <translation>Este sistema não permite mais arquivos abertos.</translation>
    </message>
    <message>
        <source>This workspace contains no {kind} yet.</source>
        <translation>Este espaço de trabalho ainda não contém {kind}.</translation>
    </message>
    <message>
        <source>Three epochs: shows within minutes whether the network learns.</source>
        <translation>Três épocas: mostra em minutos se a rede aprende.</translation>
    </message>
    <message>
        <source>Tick at least one.</source>
        <translation>Marque pelo menos uma.</translation>
    </message>
    <message>
        <source>Tile overlap</source>
        <translation>Sobreposição dos recortes</translation>
    </message>
    <message>
        <source>Tile size</source>
        <translation>Tamanho dos recortes</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Time limit per cell; slower cells are measured on at least three batches.</source>
        <translation>Limite de tempo por célula; células mais lentas são medidas em no mínimo três lotes.</translation>
    </message>
    <message>
        <source>Time limit per cell; slower cells are measured on the steps until then.</source>
        <translation>Limite de tempo por célula; células mais lentas são medidas nos passos até então.</translation>
    </message>
    <message>
        <source>Time of a cell</source>
        <translation>Tempo de uma célula</translation>
    </message>
    <message>
        <source>Timing steps</source>
        <translation>Cronometrando passos</translation>
    </message>
    <message>
        <source>Timing the validation</source>
        <translation>Cronometrando a validação</translation>
    </message>
    <message>
        <source>Tiny</source>
        <translation>Minúsculo</translation>
    </message>
    <message>
        <source>Tiny regions</source>
        <translation>Regiões minúsculas</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Até</translation>
    </message>
    <message>
        <source>To compare frameworks, run it once with each.</source>
        <translation>Para comparar frameworks, execute uma vez com cada um.</translation>
    </message>
    <message>
        <source>To continue a run with more images of the same classes.</source>
        <translation>Para continuar um treino com mais imagens das mesmas classes.</translation>
    </message>
    <message>
        <source>To fine-tune pretrained weights: 0.01, with 0.1 for the head.</source>
        <translation>Para o ajuste fino de pesos pré-treinados: 0,01, com 0,1 para a cabeça.</translation>
    </message>
    <message>
        <source>To meet the time limit, {count:,} of {total:,} images were used.</source>
        <translation>Para respeitar o limite de tempo, {count:,} de {total:,} imagens foram usadas.</translation>
    </message>
    <message>
        <source>To merge two classes, relabel the images of one as the other.</source>
        <translation>Para juntar duas classes, rotule as imagens de uma com a outra.</translation>
    </message>
    <message>
        <source>To reproduce a result exactly, or to compare two settings without chance.</source>
        <translation>Para reproduzir um resultado exatamente ou comparar duas configurações sem o acaso.</translation>
    </message>
    <message>
        <source>To see the run next to those of your team. A server that does not answer does not delay training.</source>
        <translation>Para ver o treino junto dos da sua equipe. Um servidor que não responde não atrasa o treino.</translation>
    </message>
    <message>
        <source>To watch and compare runs in TensorBoard. Off saves some disk space.</source>
        <translation>Para acompanhar e comparar treinos no TensorBoard. Desligado poupa espaço em disco.</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Tolerância</translation>
    </message>
    <message>
        <source>Too high: the loss jumps or becomes infinite. Too low: it hardly decreases. Try factors of ten.</source>
        <translation>Alta demais: a perda salta ou fica infinita. Baixa demais: quase não cai. Tente fatores de dez.</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Em cima</translation>
    </message>
    <message>
        <source>Top-5</source>
        <translation>Top-5</translation>
    </message>
    <message>
        <source>Train a head on it: studio train --network FILE --dataset NAME.</source>
        <translation>Treine uma cabeça sobre ele: studio train --network FILE --dataset NAME.</translation>
    </message>
    <message>
        <source>Train a network, or give the path of a .keras file.</source>
        <translation>Treine uma rede, ou dê o caminho de um arquivo .keras.</translation>
    </message>
    <message>
        <source>Train a small network for a few epochs instead.</source>
        <translation>Em vez disso, treine uma rede pequena por algumas épocas.</translation>
    </message>
    <message>
        <source>Train again with a lower learning rate.</source>
        <translation>Treine de novo com uma taxa de aprendizado menor.</translation>
    </message>
    <message>
        <source>Train again.</source>
        <translation>Treine de novo.</translation>
    </message>
    <message>
        <source>Train from scratch</source>
        <translation>Treinar do zero</translation>
    </message>
    <message>
        <source>Train once with each fold and average the results.</source>
        <translation>Treine uma vez com cada parte e calcule a média dos resultados.</translation>
    </message>
    <message>
        <source>Train the model with another activation, and save it again.</source>
        <translation>Treine o modelo com outra ativação e salve-o novamente.</translation>
    </message>
    <message>
        <source>Train the model without it, and save it again.</source>
        <translation>Treine o modelo sem isso e salve-o novamente.</translation>
    </message>
    <message>
        <source>Train the network first.</source>
        <translation>Treine a rede primeiro.</translation>
    </message>
    <message>
        <source>Train with class weights or the Dice loss, or collect more images of them.</source>
        <translation>Treine com pesos de classe ou com a perda Dice, ou reúna mais imagens delas.</translation>
    </message>
    <message>
        <source>Train with three seeds to see how much of a result is chance.</source>
        <translation>Treine com três sementes para ver quanto do resultado é acaso.</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Training device</source>
        <translation>Dispositivo de treino</translation>
    </message>
    <message>
        <source>Training diverges</source>
        <translation>O treino diverge</translation>
    </message>
    <message>
        <source>Training images were augmented ({operations}); the script does not augment them.</source>
        <translation>As imagens de treino passaram por aumento de dados ({operations}); o script não faz isso.</translation>
    </message>
    <message>
        <source>Training makes no progress</source>
        <translation>O treino não avança</translation>
    </message>
    <message>
        <source>Training needs at least two classes; add a folder for another class.</source>
        <translation>O treino precisa de pelo menos duas classes; adicione uma pasta para outra classe.</translation>
    </message>
    <message>
        <source>Training needs at least two classes; add another.</source>
        <translation>O treino precisa de pelo menos duas classes; adicione outra.</translation>
    </message>
    <message>
        <source>Training script</source>
        <translation>Script de treino</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>Tempo de treino</translation>
    </message>
    <message>
        <source>Trains a linear classifier on the features of the frozen network, in seconds. For few images, or for a quick estimate.</source>
        <translation>Treina um classificador linear sobre as características da rede congelada, em segundos. Para poucas imagens ou uma estimativa rápida.</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Translação</translation>
    </message>
    <message>
        <source>Transposed convolution</source>
        <translation>Convolução transposta</translation>
    </message>
    <message>
        <source>Trial {number} cannot be moved before itself.</source>
        <translation>A tentativa {number} não pode ser movida para antes de si mesma.</translation>
    </message>
    <message>
        <source>Trial {number} cannot be rerun now.</source>
        <translation>A tentativa {number} não pode ser repetida agora.</translation>
    </message>
    <message>
        <source>Trial {number} is {state}, so it cannot be rerun.</source>
        <translation>O estado da tentativa {number} é “{state}”, por isso ela não pode ser repetida.</translation>
    </message>
    <message>
        <source>Trial {number} is {state}.</source>
        <translation>O estado da tentativa {number} é “{state}”.</translation>
    </message>
    <message>
        <source>Trial {number} of the sweep "{sweep}" is not waiting.</source>
        <translation>A tentativa {number} da varredura "{sweep}" não está em espera.</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>Tentativas</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Tente de novo.</translation>
    </message>
    <message>
        <source>Try again: the engine restarts. If it happens again, the file may be damaged, or the machine may be out of memory.</source>
        <translation>Tente de novo: o motor reinicia. Se acontecer novamente, o arquivo pode estar danificado ou a máquina pode estar sem memória.</translation>
    </message>
    <message>
        <source>Try again: the engine restarts. If it happens again, the machine may be out of memory.</source>
        <translation>Tente de novo: o motor reinicia. Se acontecer novamente, a memória pode estar esgotada.</translation>
    </message>
    <message>
        <source>Try three times the learning rate, or a network that can learn more.</source>
        <translation>Tente o triplo da taxa de aprendizado, ou uma rede que possa aprender mais.</translation>
    </message>
    <message>
        <source>Try: python -c 'import {name}'</source>
        <translation>Tente: python -c 'import {name}'</translation>
    </message>
    <message>
        <source>Trying larger batches</source>
        <translation>Testando lotes maiores</translation>
    </message>
    <message>
        <source>Turn it off for files on a slow disk or a network; only the check for tiny files needs it.</source>
        <translation>Desligue para arquivos em um disco lento ou na rede; só a verificação de arquivos minúsculos precisa disso.</translation>
    </message>
    <message>
        <source>Turn it on where the stride is 1 and input and output have the same channels: deep networks learn better with it.</source>
        <translation>Ligue onde o passo é 1 e a entrada e a saída têm os mesmos canais: redes profundas aprendem melhor com isso.</translation>
    </message>
    <message>
        <source>Turn shuffling on, or choose class weights in the loss.</source>
        <translation>Ligue o embaralhamento, ou escolha pesos de classe na perda.</translation>
    </message>
    <message>
        <source>Turns the values of the last axis into probabilities.</source>
        <translation>Transforma os valores do último eixo em probabilidades.</translation>
    </message>
    <message>
        <source>Twenty epochs with a decreasing rate, light augmentation and early stopping.</source>
        <translation>Vinte épocas com taxa decrescente, aumento de dados leve e parada antecipada.</translation>
    </message>
    <message>
        <source>Twice as deep as ResNet-18.</source>
        <translation>Duas vezes mais profunda que a ResNet-18.</translation>
    </message>
    <message>
        <source>Twice the data would change little ({between} points).</source>
        <translation>O dobro dos dados mudaria pouco ({between} pontos).</translation>
    </message>
    <message>
        <source>Twice the data would change {metric:lower} by about {gain:.3f} (between {low:.3f} and {high:.3f}).</source>
        <translation>O dobro dos dados mudaria {metric:lower} em cerca de {gain:.3f} (entre {low:.3f} e {high:.3f}).</translation>
    </message>
    <message numerus="yes">
        <source>Twice the data would gain about {count:g} points ({between}).</source>
        <translation><numerusform>O dobro dos dados traria um ganho de cerca de {count:g} ponto ({between}).</numerusform><numerusform>O dobro dos dados traria um ganho de cerca de {count:g} pontos ({between}).</numerusform></translation>
    </message>
    <message>
        <source>Twice the intersection of predicted and true pixels divided by the sum of both areas: F1 of the pixels.</source>
        <translation>O dobro da interseção dos pixels previstos e reais dividido pela soma das duas áreas: F1 dos pixels.</translation>
    </message>
    <message>
        <source>Two answers are considered equal if at most 1 % of the pixels differ.</source>
        <translation>Duas respostas são consideradas iguais se no máximo 1 % dos pixels diferem.</translation>
    </message>
    <message>
        <source>Two classes have the same color, {color}.</source>
        <translation>Duas classes têm a mesma cor, {color}.</translation>
    </message>
    <message>
        <source>Two classes have the same name, "{name}".</source>
        <translation>Duas classes têm o mesmo nome, "{name}".</translation>
    </message>
    <message>
        <source>Two hidden layers, no convolution: good for small, centered images.</source>
        <translation>Duas camadas ocultas, sem convolução: boa para imagens pequenas e centralizadas.</translation>
    </message>
    <message>
        <source>Two models are compared on the same images; received {first} and {second}.</source>
        <translation>Dois modelos são comparados nas mesmas imagens; recebidos {first} e {second}.</translation>
    </message>
    <message>
        <source>Two models can be equally good and still disagree. Raise it if the file must give the same predictions as the model.</source>
        <translation>Dois modelos podem ser igualmente bons e ainda assim discordar. Aumente se o arquivo precisa dar as mesmas previsões que o modelo.</translation>
    </message>
    <message>
        <source>Two powers of ten above the expected value is enough.</source>
        <translation>Duas potências de dez acima do valor esperado bastam.</translation>
    </message>
    <message>
        <source>Two powers of ten below the expected value is enough.</source>
        <translation>Duas potências de dez abaixo do valor esperado bastam.</translation>
    </message>
    <message>
        <source>Two predictions agree if no number differs by more than 5 % of its standard deviation over the training images (of 1 if it is constant there).</source>
        <translation>Duas previsões concordam se nenhum número difere por mais de 5 % do seu desvio padrão nas imagens de treino (de 1, se for constante nelas).</translation>
    </message>
    <message>
        <source>Two predictions agree if they have the same labels.</source>
        <translation>Duas previsões concordam se têm os mesmos rótulos.</translation>
    </message>
    <message>
        <source>Undo in the list of its images reverts one step at a time.</source>
        <translation>Desfazer, na lista de imagens dele, reverte um passo por vez.</translation>
    </message>
    <message>
        <source>Unfreeze the last layers.</source>
        <translation>Descongele as últimas camadas.</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Unidades</translation>
    </message>
    <message>
        <source>Unpack it first, and choose its folder.</source>
        <translation>Descompacte-o primeiro e escolha a pasta.</translation>
    </message>
    <message>
        <source>Unpack it yourself if you trust it, and import the folder.</source>
        <translation>Descompacte você mesmo, se confia nele, e importe a pasta.</translation>
    </message>
    <message>
        <source>Unpacking the run</source>
        <translation>Desempacotar o treino</translation>
    </message>
    <message>
        <source>Unusable masks</source>
        <translation>Máscaras inutilizáveis</translation>
    </message>
    <message>
        <source>Up to a tenth of the standard deviation of the input keeps a network from relying on exact values.</source>
        <translation>Até um décimo do desvio padrão da entrada evita que a rede dependa de valores exatos.</translation>
    </message>
    <message>
        <source>Update Studio, or choose another workspace.</source>
        <translation>Atualize o Studio, ou escolha outro espaço de trabalho.</translation>
    </message>
    <message>
        <source>Update Studio, or import the images again.</source>
        <translation>Atualize o Studio, ou importe as imagens de novo.</translation>
    </message>
    <message>
        <source>Update Studio.</source>
        <translation>Atualize o Studio.</translation>
    </message>
    <message>
        <source>Upsampling</source>
        <translation>Ampliação</translation>
    </message>
    <message>
        <source>Use 10 % if objects are not always centered.</source>
        <translation>Use 10 % se os objetos nem sempre estão centralizados.</translation>
    </message>
    <message>
        <source>Use 10 to 20 % if exposure varies.</source>
        <translation>Use de 10 a 20 % se a exposição varia.</translation>
    </message>
    <message>
        <source>Use 10 to 20 % if lighting varies between pictures.</source>
        <translation>Use de 10 a 20 % se a iluminação varia entre as imagens.</translation>
    </message>
    <message>
        <source>Use 10 to 20 % if objects may be partly hidden.</source>
        <translation>Use de 10 a 20 % se os objetos podem estar parcialmente encobertos.</translation>
    </message>
    <message>
        <source>Use 10 to 20 % if the distance to objects varies.</source>
        <translation>Use de 10 a 20 % se a distância até os objetos varia.</translation>
    </message>
    <message>
        <source>Use 10 to 30 % if cameras or weather vary.</source>
        <translation>Use de 10 a 30 % se as câmeras ou o tempo variam.</translation>
    </message>
    <message>
        <source>Use 10 to 30 % if cameras vary; leave it off where color distinguishes the classes.</source>
        <translation>Use de 10 a 30 % se as câmeras variam; deixe desativado onde a cor distingue as classes.</translation>
    </message>
    <message>
        <source>Use 5 to 9 for photographs instead of separate settings; leave it off for digits and drawings.</source>
        <translation>Use de 5 a 9 em fotografias em vez de configurações separadas; deixe desativado em dígitos e desenhos.</translation>
    </message>
    <message>
        <source>Use Nesterov momentum.</source>
        <translation>Usa momentum de Nesterov.</translation>
    </message>
    <message>
        <source>Use a cosine schedule; if that is not enough, start with a higher rate.</source>
        <translation>Use um agendamento cosseno; se não bastar, comece com uma taxa maior.</translation>
    </message>
    <message>
        <source>Use a dataset without edits.</source>
        <translation>Use um conjunto de dados sem edições.</translation>
    </message>
    <message>
        <source>Use a different id for each.</source>
        <translation>Use um id diferente para cada um.</translation>
    </message>
    <message>
        <source>Use a different name for each column.</source>
        <translation>Use um nome diferente para cada coluna.</translation>
    </message>
    <message>
        <source>Use a few degrees for handwriting and varying viewpoints.</source>
        <translation>Use alguns graus para escrita à mão e pontos de vista variados.</translation>
    </message>
    <message>
        <source>Use a larger network, or pretrained weights.</source>
        <translation>Use uma rede maior, ou pesos pré-treinados.</translation>
    </message>
    <message>
        <source>Use a letter, then letters, digits and underscores.</source>
        <translation>Use uma letra, depois letras, dígitos e sublinhados.</translation>
    </message>
    <message>
        <source>Use a separate layer for each call; shared weights are not supported.</source>
        <translation>Use uma camada separada para cada chamada; pesos compartilhados não são suportados.</translation>
    </message>
    <message>
        <source>Use a smaller batch size or smaller images, or close other programs.</source>
        <translation>Use um tamanho de lote menor ou imagens menores, ou feche outros programas.</translation>
    </message>
    <message>
        <source>Use a tenth of the learning rate, and clip gradients.</source>
        <translation>Use um décimo da taxa de aprendizado e limite os gradientes.</translation>
    </message>
    <message>
        <source>Use a tenth of the learning rate.</source>
        <translation>Use um décimo da taxa de aprendizado.</translation>
    </message>
    <message>
        <source>Use a third of the learning rate.</source>
        <translation>Use um terço da taxa de aprendizado.</translation>
    </message>
    <message>
        <source>Use at most {limit}.</source>
        <translation>Use no máximo {limit}.</translation>
    </message>
    <message>
        <source>Use at most {side}, or 0 for no crop.</source>
        <translation>Use no máximo {side}, ou 0 para não recortar.</translation>
    </message>
    <message>
        <source>Use augmentation, weight decay and early stopping. More images help most.</source>
        <translation>Use aumento de dados, decaimento dos pesos e parada antecipada. O que mais ajuda são mais imagens.</translation>
    </message>
    <message>
        <source>Use batches of 8 or more.</source>
        <translation>Use lotes de 8 ou mais.</translation>
    </message>
    <message>
        <source>Use batches of {count} or more, or fewer devices.</source>
        <translation>Use lotes de {count} ou mais, ou menos dispositivos.</translation>
    </message>
    <message>
        <source>Use cpu, gpu:0, gpu:1 …</source>
        <translation>Use cpu, gpu:0, gpu:1 …</translation>
    </message>
    <message>
        <source>Use for a small network with many weights of exactly 0.</source>
        <translation>Use para uma rede pequena com muitos pesos iguais a 0.</translation>
    </message>
    <message>
        <source>Use for faster training: the input of the network becomes smaller. 0 is off.</source>
        <translation>Use para treinar mais rápido: a entrada da rede fica menor. 0 desativa.</translation>
    </message>
    <message>
        <source>Use for few distinct values, such as networks or optimizers.</source>
        <translation>Use para poucos valores distintos, como redes ou otimizadores.</translation>
    </message>
    <message>
        <source>Use for photographs; not where left and right differ, as in letters and digits.</source>
        <translation>Use em fotografias; não onde esquerda e direita diferem, como em letras e dígitos.</translation>
    </message>
    <message>
        <source>Use for pictures without a top, such as microscope or aerial images.</source>
        <translation>Use em imagens sem lado de cima, como as de microscópio ou aéreas.</translation>
    </message>
    <message>
        <source>Use gpu, or gpus:{count}.</source>
        <translation>Use gpu, ou gpus:{count}.</translation>
    </message>
    <message>
        <source>Use if a list was made on another computer or is in another folder than its images.</source>
        <translation>Use se a lista foi feita em outro computador ou está em outra pasta que as imagens.</translation>
    </message>
    <message>
        <source>Use if lighting varies strongly.</source>
        <translation>Use se a iluminação varia muito.</translation>
    </message>
    <message>
        <source>Use if the end of the sequence matters most.</source>
        <translation>Use se o fim da sequência importa mais.</translation>
    </message>
    <message>
        <source>Use if the loss jumps: limits the change of a layer by a single batch.</source>
        <translation>Use se a perda salta: limita a mudança de uma camada por um único lote.</translation>
    </message>
    <message>
        <source>Use if the loss rises again late in training; needs one more number per weight.</source>
        <translation>Use se a perda volta a subir no fim do treino; precisa de um número a mais por peso.</translation>
    </message>
    <message>
        <source>Use if the test images are in another folder.</source>
        <translation>Use se as imagens de teste estão em outra pasta.</translation>
    </message>
    <message>
        <source>Use if the validation images are in another folder.</source>
        <translation>Use se as imagens de validação estão em outra pasta.</translation>
    </message>
    <message>
        <source>Use if tiny improvements keep a run from stopping; 0.001 is 0.1 percentage points of accuracy.</source>
        <translation>Use se melhorias minúsculas impedem o fim do treino: 0,001 é 0,1 ponto percentual de acurácia.</translation>
    </message>
    <message>
        <source>Use if you do not know a good learning rate for this network and dataset.</source>
        <translation>Use se você não conhece uma boa taxa de aprendizado para esta rede e este conjunto de dados.</translation>
    </message>
    <message>
        <source>Use it for results comparable with published ones. The percentages apply to the other images.</source>
        <translation>Use para resultados comparáveis com os publicados. As porcentagens valem para as outras imagens.</translation>
    </message>
    <message>
        <source>Use it for robustness against low image quality; 3 is usual.</source>
        <translation>Use para robustez contra imagens de baixa qualidade; o usual é 3.</translation>
    </message>
    <message>
        <source>Use it to estimate accuracy on poor images. It evaluates a few hundred images 30 more times.</source>
        <translation>Use para estimar a acurácia em imagens ruins. Avalia algumas centenas de imagens mais 30 vezes.</translation>
    </message>
    <message>
        <source>Use it to limit a sweep to a night, for example. Running trials are finished.</source>
        <translation>Use para limitar uma varredura a uma noite, por exemplo. Tentativas em andamento são concluídas.</translation>
    </message>
    <message>
        <source>Use it to save time if the first epochs predict the result well.</source>
        <translation>Use para economizar tempo se as primeiras épocas preveem bem o resultado.</translation>
    </message>
    <message>
        <source>Use larger batches.</source>
        <translation>Use lotes maiores.</translation>
    </message>
    <message>
        <source>Use less than 20°; leave it off where color distinguishes the classes, as with fruit.</source>
        <translation>Use menos de 20°; deixe desativado onde a cor distingue as classes, como em frutas.</translation>
    </message>
    <message>
        <source>Use letters, digits, spaces and characters such as - _ ( ).</source>
        <translation>Use letras, dígitos, espaços e caracteres como - _ ( ).</translation>
    </message>
    <message>
        <source>Use logarithmic for learning rates and weight decay: each power of ten is sampled equally.</source>
        <translation>Use logarítmica para taxas de aprendizado e weight decay: cada potência de dez é amostrada igualmente.</translation>
    </message>
    <message>
        <source>Use more images, or smaller batches.</source>
        <translation>Use mais imagens, ou lotes menores.</translation>
    </message>
    <message>
        <source>Use occlusion instead, which works with any network.</source>
        <translation>Use a oclusão, que funciona com qualquer rede.</translation>
    </message>
    <message>
        <source>Use ray://HOST:10001, or HOST:6379 on a node of the cluster.</source>
        <translation>Use ray://HOST:10001, ou HOST:6379 em um nó do próprio cluster.</translation>
    </message>
    <message>
        <source>Use reflect for photographs, and the background color for drawings and digits.</source>
        <translation>Use reflexo em fotografias e a cor do fundo em desenhos e dígitos.</translation>
    </message>
    <message>
        <source>Use several seeds to distinguish real differences between trials from chance.</source>
        <translation>Use várias sementes para distinguir diferenças reais entre tentativas do acaso.</translation>
    </message>
    <message>
        <source>Use smaller images or a smaller network, or close other programs.</source>
        <translation>Use imagens menores ou uma rede menor, ou feche outros programas.</translation>
    </message>
    <message>
        <source>Use smaller images, or a network with fewer features.</source>
        <translation>Use imagens menores, ou uma rede com menos características.</translation>
    </message>
    <message>
        <source>Use test for the result that you report; validation is biased because it was used for selection.</source>
        <translation>Use teste para o resultado que você publica; a validação tem viés porque foi usada na seleção.</translation>
    </message>
    <message>
        <source>Use the background of the other images, so that the border reveals nothing about the class.</source>
        <translation>Use o fundo das outras imagens, para que a borda nada revele sobre a classe.</translation>
    </message>
    <message>
        <source>Use the constant schedule without warm-up, or turn it off.</source>
        <translation>Use o agendamento constante sem aquecimento, ou desative isto.</translation>
    </message>
    <message>
        <source>Use the names that `studio datasets browse` lists.</source>
        <translation>Use os nomes listados por `studio datasets browse`.</translation>
    </message>
    <message>
        <source>Use the same form.</source>
        <translation>Use o mesmo formato.</translation>
    </message>
    <message>
        <source>Use to reach a size that the next layer needs, or to process the border like the center.</source>
        <translation>Use para chegar a um tamanho de que a próxima camada precisa, ou para processar a borda como o centro.</translation>
    </message>
    <message>
        <source>Use to reach a size that the next layer needs; for strides, often one more than at the top.</source>
        <translation>Use para chegar a um tamanho de que a próxima camada precisa; com passos maiores que 1, muitas vezes um a mais que em cima.</translation>
    </message>
    <message>
        <source>Use to reach a size that the next layer needs; for strides, often one more than on the left.</source>
        <translation>Use para chegar a um tamanho de que a próxima camada precisa; com passos maiores que 1, muitas vezes um a mais que à esquerda.</translation>
    </message>
    <message>
        <source>Use up to 1 px if some pictures are not sharp. Small images lose detail.</source>
        <translation>Use até 1 px se algumas imagens não estão nítidas. Imagens pequenas perdem detalhes.</translation>
    </message>
    <message>
        <source>Use where intermediate values make no difference, as with batch sizes.</source>
        <translation>Use onde valores intermediários não fazem diferença, como no tamanho do lote.</translation>
    </message>
    <message>
        <source>Use where orientation carries no meaning. Images that are not square are stretched to fit.</source>
        <translation>Use onde a orientação não importa. Imagens que não são quadradas são esticadas para caber.</translation>
    </message>
    <message>
        <source>Use with older networks such as those of Caffe; batch normalization makes it unnecessary.</source>
        <translation>Use com redes mais antigas, como as do Caffe; a normalização em lote a torna desnecessária.</translation>
    </message>
    <message>
        <source>Use {factor:.0f} times the learning rate.</source>
        <translation>Use {factor:.0f} vezes a taxa de aprendizado.</translation>
    </message>
    <message>
        <source>Uses all labeled images for the final model. Validation metrics are those from before the refit.</source>
        <translation>Usa todas as imagens rotuladas no modelo final. As métricas de validação são as anteriores ao reajuste.</translation>
    </message>
    <message>
        <source>Usual values are {low:g} to {high:g}; most networks train well with about {usual_rate:g}.</source>
        <translation>Os valores usuais vão de {low:g} a {high:g}; a maioria das redes treina bem com cerca de {usual_rate:g}.</translation>
    </message>
    <message>
        <source>Usually a little better; off to compare with plain momentum.</source>
        <translation>Em geral um pouco melhor; desligue para comparar com o momento simples.</translation>
    </message>
    <message>
        <source>VGG-16</source>
        <translation>VGG-16</translation>
    </message>
    <message>
        <source>VGG-16 whose coarse maps are joined with finer ones twice. 134 million weights: for a GPU. Can start from ImageNet.</source>
        <translation>VGG-16 cujos mapas grossos são unidos duas vezes a mapas mais finos. 134 milhões de pesos: para uma GPU. Pode partir da ImageNet.</translation>
    </message>
    <message>
        <source>VGG-19</source>
        <translation>VGG-19</translation>
    </message>
    <message>
        <source>Val Dice</source>
        <translation>Dice de val.</translation>
    </message>
    <message>
        <source>Val F1 macro</source>
        <translation>F1 macro de val.</translation>
    </message>
    <message>
        <source>Val F1 micro</source>
        <translation>F1 micro de val.</translation>
    </message>
    <message>
        <source>Val IoU</source>
        <translation>IoU de val.</translation>
    </message>
    <message>
        <source>Val MAE</source>
        <translation>MAE de val.</translation>
    </message>
    <message>
        <source>Val RMSE</source>
        <translation>RMSE de val.</translation>
    </message>
    <message>
        <source>Val R²</source>
        <translation>R² de val.</translation>
    </message>
    <message>
        <source>Val accuracy</source>
        <translation>Acurácia de validação</translation>
    </message>
    <message>
        <source>Val average precision</source>
        <translation>Precisão média de val.</translation>
    </message>
    <message>
        <source>Val boundary F1</source>
        <translation>F1 das bordas de val.</translation>
    </message>
    <message>
        <source>Val label accuracy</source>
        <translation>Acurácia por rótulo de val.</translation>
    </message>
    <message>
        <source>Val loss</source>
        <translation>Perda de validação</translation>
    </message>
    <message>
        <source>Val mAP</source>
        <translation>mAP de val.</translation>
    </message>
    <message>
        <source>Val mean Dice</source>
        <translation>Dice médio de val.</translation>
    </message>
    <message>
        <source>Val mean IoU</source>
        <translation>IoU médio de val.</translation>
    </message>
    <message>
        <source>Val mean boundary F1</source>
        <translation>F1 médio das bordas de val.</translation>
    </message>
    <message>
        <source>Val pixel accuracy</source>
        <translation>Acurácia por pixel de val.</translation>
    </message>
    <message>
        <source>Val precision</source>
        <translation>Precisão de val.</translation>
    </message>
    <message>
        <source>Val recall</source>
        <translation>Revocação de val.</translation>
    </message>
    <message>
        <source>Val subset accuracy</source>
        <translation>Acurácia de subconjunto de val.</translation>
    </message>
    <message>
        <source>Val top-5</source>
        <translation>Top-5 de validação</translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation>Validar a cada</translation>
    </message>
    <message>
        <source>Validate less often, or with fewer images.</source>
        <translation>Valide com menos frequência, ou com menos imagens.</translation>
    </message>
    <message>
        <source>Validate more often to see how training goes.</source>
        <translation>Valide com mais frequência para ver como o treino vai.</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validação</translation>
    </message>
    <message>
        <source>Validation and checkpoints</source>
        <translation>Validação e checkpoints</translation>
    </message>
    <message>
        <source>Validation images</source>
        <translation>Imagens de validação</translation>
    </message>
    <message>
        <source>Validation {loss:lower} rose from {lowest} in epoch {first} to {now} in epoch {last}, while training {loss:lower} fell from {training_before} to {training_now}.</source>
        <translation>Na validação, {loss:lower} subiu de {lowest} na época {first} para {now} na época {last}, enquanto no treino {loss:lower} caiu de {training_before} para {training_now}.</translation>
    </message>
    <message>
        <source>Validations without improvement after which the learning rate is reduced; 0 never reduces it.</source>
        <translation>Validações sem melhoria após as quais a taxa de aprendizado é reduzida; 0 nunca a reduz.</translation>
    </message>
    <message>
        <source>Validations without improvement after which training stops; 0 never stops early.</source>
        <translation>Validações sem melhoria após as quais o treino para; 0 nunca para antes.</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valor</translation>
    </message>
    <message>
        <source>Value to subtract.</source>
        <translation>Valor a subtrair.</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Valores</translation>
    </message>
    <message>
        <source>Values of the field.</source>
        <translation>Valores do campo.</translation>
    </message>
    <message>
        <source>Varied</source>
        <translation>Variados</translation>
    </message>
    <message>
        <source>Varied fields and their values.</source>
        <translation>Campos variados e seus valores.</translation>
    </message>
    <message>
        <source>Varied networks by name; set when the sweep starts.</source>
        <translation>Redes variadas, pelo nome; definido quando a varredura começa.</translation>
    </message>
    <message>
        <source>Vary another field.</source>
        <translation>Varie outro campo.</translation>
    </message>
    <message>
        <source>Vary the seed, or repeat with --seeds, to see how much is chance.</source>
        <translation>Varie a semente, ou repita com --seeds, para ver quanto é acaso.</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Versão</translation>
    </message>
    <message>
        <source>Version 0 is the dataset as it was imported.</source>
        <translation>A versão 0 é o conjunto de dados como foi importado.</translation>
    </message>
    <message>
        <source>Version of the dataset</source>
        <translation>Versão do conjunto de dados</translation>
    </message>
    <message>
        <source>Version of the dataset, as the number of its edits.</source>
        <translation>Versão do conjunto de dados, como número de edições.</translation>
    </message>
    <message>
        <source>Version of the dataset; empty for the newest.</source>
        <translation>Versão do conjunto de dados; vazio para a mais recente.</translation>
    </message>
    <message>
        <source>Version {version} can still be used; or restore the file from a backup.</source>
        <translation>A versão {version} ainda pode ser usada; ou restaure o arquivo de um backup.</translation>
    </message>
    <message>
        <source>Very bright</source>
        <translation>Muito clara</translation>
    </message>
    <message>
        <source>Very bright images: {count:,}.</source>
        <translation>Imagens muito claras: {count:,}.</translation>
    </message>
    <message>
        <source>Very dark</source>
        <translation>Muito escura</translation>
    </message>
    <message>
        <source>Very dark images: {count:,}.</source>
        <translation>Imagens muito escuras: {count:,}.</translation>
    </message>
    <message>
        <source>Very few weights; with published weights a good start for small datasets.</source>
        <translation>Pouquíssimos pesos; com pesos publicados, um bom começo para conjuntos de dados pequenos.</translation>
    </message>
    <message>
        <source>Wait for it to finish, then try again.</source>
        <translation>Espere até terminar e tente de novo.</translation>
    </message>
    <message>
        <source>Wait for its import, or import it again.</source>
        <translation>Espere a importação dele, ou importe-o de novo.</translation>
    </message>
    <message>
        <source>Wait until it ends, or pause it first.</source>
        <translation>Espere até terminar, ou pause-o primeiro.</translation>
    </message>
    <message>
        <source>Wait until it ends, or stop it first.</source>
        <translation>Espere até terminar, ou pare-o primeiro.</translation>
    </message>
    <message>
        <source>Wait until it ends, or stop or pause it first.</source>
        <translation>Espere que termine, ou interrompa-o ou pause-o antes.</translation>
    </message>
    <message>
        <source>Wait until it is done.</source>
        <translation>Espere até estar pronto.</translation>
    </message>
    <message>
        <source>Wait until more of them are finished.</source>
        <translation>Espere até mais delas terminarem.</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aquecimento</translation>
    </message>
    <message>
        <source>Warming up</source>
        <translation>Aquecendo</translation>
    </message>
    <message>
        <source>Warmup</source>
        <translation>Aquecimento</translation>
    </message>
    <message>
        <source>Web address of a folder with one folder per class (http, https)</source>
        <translation>Endereço da web de uma pasta com uma pasta por classe (http, https)</translation>
    </message>
    <message>
        <source>Web address of an archive or a file of arrays ({suffixes})</source>
        <translation>Endereço da web de um pacote compactado ou de um arquivo de arrays ({suffixes})</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Peso</translation>
    </message>
    <message>
        <source>Weight averaging (EMA)</source>
        <translation>Média dos pesos (EMA)</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Decaimento de pesos</translation>
    </message>
    <message>
        <source>Weight of the Dice loss in the training loss; the rest is cross-entropy.</source>
        <translation>Peso da perda Dice na perda de treino; o resto é entropia cruzada.</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Pesos</translation>
    </message>
    <message>
        <source>Weights of the finished model: those of the best or the last epoch.</source>
        <translation>Pesos do modelo final: os da melhor ou os da última época.</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>O que é comparado</translation>
    </message>
    <message>
        <source>What is learned</source>
        <translation>O que é aprendido</translation>
    </message>
    <message>
        <source>What the new pixels are.</source>
        <translation>O que são os novos pixels.</translation>
    </message>
    <message>
        <source>When everything but the head is frozen and images are not augmented, a linear classifier is found without epochs or a learning rate.</source>
        <translation>Quando tudo menos a cabeça está congelado e as imagens não são aumentadas, um classificador linear é encontrado sem épocas nem taxa de aprendizado.</translation>
    </message>
    <message>
        <source>When one computer is not enough. Needs the extra cluster. Ray chooses a node with enough free GPUs for the device, and enough free cores for the CPU threads (1 for 0).</source>
        <translation>Quando um computador não basta. Precisa do extra cluster. O Ray escolhe um nó com GPUs livres suficientes para o dispositivo e núcleos livres suficientes para as threads (1 para 0).</translation>
    </message>
    <message>
        <source>White</source>
        <translation>Branco</translation>
    </message>
    <message>
        <source>Whitening</source>
        <translation>Branqueamento</translation>
    </message>
    <message>
        <source>Whose images.</source>
        <translation>De quem são as imagens.</translation>
    </message>
    <message>
        <source>Wide inside and narrow outside, for fast networks.</source>
        <translation>Largo por dentro e estreito por fora, para redes rápidas.</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Largura</translation>
    </message>
    <message>
        <source>Width of every image after import.</source>
        <translation>Largura de cada imagem depois da importação.</translation>
    </message>
    <message>
        <source>Width of the mean.</source>
        <translation>Largura da média.</translation>
    </message>
    <message>
        <source>Width of the output.</source>
        <translation>Largura da saída.</translation>
    </message>
    <message>
        <source>Width of the square tiles that each image is cut into, in pixels of the image; 0 for none.</source>
        <translation>Largura dos recortes quadrados em que cada imagem é dividida, em pixels da imagem; 0 para nenhum.</translation>
    </message>
    <message>
        <source>Width of the window if it is not square.</source>
        <translation>Largura da janela, se não for quadrada.</translation>
    </message>
    <message>
        <source>Windows of several sizes side by side; few weights for its depth.</source>
        <translation>Janelas de vários tamanhos lado a lado; poucos pesos para a sua profundidade.</translation>
    </message>
    <message>
        <source>Windows with a small network in each, and the mean of one map per class at the end.</source>
        <translation>Janelas com uma pequena rede em cada uma, e a média de um mapa por classe no fim.</translation>
    </message>
    <message>
        <source>Wire it in.</source>
        <translation>Ligue-a.</translation>
    </message>
    <message>
        <source>With 0.2 it uses the same learning rates as Adam. 0 turns scaling off and needs another rate.</source>
        <translation>Com 0,2 usa as mesmas taxas de aprendizado do Adam. 0 desliga a escala e exige outra taxa.</translation>
    </message>
    <message>
        <source>With an NVIDIA GPU and its driver: pip install '{distribution}[gpu]'</source>
        <translation>Com uma GPU NVIDIA e o seu driver: pip install '{distribution}[gpu]'</translation>
    </message>
    <message>
        <source>With an NVIDIA GPU: install PyTorch with CUDA (pytorch.org) and choose the backend torch; TensorFlow supports GPUs on Windows only inside WSL2.</source>
        <translation>Com uma GPU NVIDIA: instale o PyTorch com CUDA (pytorch.org) e escolha o backend torch; no Windows o TensorFlow só suporta GPU dentro do WSL2.</translation>
    </message>
    <message>
        <source>With an overlap, an object on the border of one tile is complete in another.</source>
        <translation>Com uma sobreposição, um objeto na borda de um recorte fica inteiro em outro.</translation>
    </message>
    <message>
        <source>With so few images, training more layers would overfit.</source>
        <translation>Com tão poucas imagens, treinar mais camadas causaria sobreajuste.</translation>
    </message>
    <message>
        <source>Without images in a split: {count:,} ({classes}).</source>
        <translation>Sem imagens em uma divisão: {count:,} ({classes}).</translation>
    </message>
    <message>
        <source>Without it, batches are the same in every epoch, in the order of the dataset.</source>
        <translation>Sem isso, os lotes são iguais em todas as épocas, na ordem do conjunto de dados.</translation>
    </message>
    <message>
        <source>Without it, images keep their size and the first dense layer becomes huge.</source>
        <translation>Sem isso, as imagens mantêm o tamanho e a primeira camada densa fica enorme.</translation>
    </message>
    <message>
        <source>Without it, the classes are named 0, 1, 2 and so on.</source>
        <translation>Sem ele, as classes se chamam 0, 1, 2 e assim por diante.</translation>
    </message>
    <message>
        <source>Without one, consecutive layers are equivalent to one layer. ReLU is a good default; softmax gives probabilities.</source>
        <translation>Sem uma, camadas em sequência equivalem a uma só. ReLU é um bom padrão; softmax dá probabilidades.</translation>
    </message>
    <message>
        <source>Works without tuning: a good choice when unsure.</source>
        <translation>Funciona sem ajustes: uma boa escolha na dúvida.</translation>
    </message>
    <message>
        <source>Worse than the median</source>
        <translation>Pior que a mediana</translation>
    </message>
    <message>
        <source>Write a color on every line, or on none.</source>
        <translation>Escreva uma cor em todas as linhas, ou em nenhuma.</translation>
    </message>
    <message>
        <source>Write one class name per line, without duplicates.</source>
        <translation>Escreva um nome de classe por linha, sem repetições.</translation>
    </message>
    <message>
        <source>Write one class name per line.</source>
        <translation>Escreva um nome de classe por linha.</translation>
    </message>
    <message>
        <source>Writes event files for TensorBoard into the folder of the run.</source>
        <translation>Grava arquivos de eventos do TensorBoard na pasta do treino.</translation>
    </message>
    <message>
        <source>Writing images</source>
        <translation>Gravando imagens</translation>
    </message>
    <message>
        <source>Writing pictures of three digits</source>
        <translation>Gravando imagens de três dígitos</translation>
    </message>
    <message>
        <source>Writing the handwritten digits</source>
        <translation>Gravando os dígitos manuscritos</translation>
    </message>
    <message>
        <source>Writing {format}</source>
        <translation>Gravando {format}</translation>
    </message>
    <message>
        <source>Wrong labels</source>
        <translation>Rótulos errados</translation>
    </message>
    <message>
        <source>Wrong labels cannot be found: {reason}.</source>
        <translation>Não é possível encontrar rótulos errados: {reason}.</translation>
    </message>
    <message>
        <source>Wrong targets cannot be found: {reason}.</source>
        <translation>Não é possível encontrar alvos errados: {reason}.</translation>
    </message>
    <message>
        <source>X</source>
        <translation>X</translation>
    </message>
    <message>
        <source>Xception</source>
        <translation>Xception</translation>
    </message>
    <message>
        <source>Y</source>
        <translation>Y</translation>
    </message>
    <message>
        <source>Zero padding</source>
        <translation>Preenchimento com zeros</translation>
    </message>
    <message>
        <source>Zeros</source>
        <translation>Zeros</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>Zoom</translation>
    </message>
    <message>
        <source>a batch of {batch_size} is larger than the {count} training images, so an epoch is a single step.</source>
        <translation>um lote de {batch_size} é maior que as {count} imagens de treino, por isso uma época é um único passo.</translation>
    </message>
    <message>
        <source>a batch of {batch_size} needs more than {images} images.</source>
        <translation>um lote de {batch_size} precisa de mais de {images} imagens.</translation>
    </message>
    <message>
        <source>a chunk of it is damaged</source>
        <translation>um bloco dele está danificado</translation>
    </message>
    <message>
        <source>a chunk of it unpacks to far more than its size</source>
        <translation>um bloco dele se descompacta em muito mais do que o seu tamanho</translation>
    </message>
    <message>
        <source>a class for each pixel</source>
        <translation>uma classe para cada pixel</translation>
    </message>
    <message>
        <source>a corner of a polygon is not a number or is far outside the image</source>
        <translation>um vértice de um polígono não é um número ou fica muito fora da imagem</translation>
    </message>
    <message>
        <source>a description is too long</source>
        <translation>uma descrição é longa demais</translation>
    </message>
    <message>
        <source>a field and its values are required; received "{text}".</source>
        <translation>é preciso um campo e os seus valores; recebido "{text}".</translation>
    </message>
    <message>
        <source>a file</source>
        <translation>um arquivo</translation>
    </message>
    <message>
        <source>a file in it is larger than it claims</source>
        <translation>um arquivo nele é maior do que declara</translation>
    </message>
    <message>
        <source>a finite number is required; received "{received}".</source>
        <translation>é necessário um número finito; recebido "{received}".</translation>
    </message>
    <message>
        <source>a finite number is required; received {received}</source>
        <translation>é necessário um número finito; recebido {received}</translation>
    </message>
    <message>
        <source>a grid needs to know how many values of a range it takes.</source>
        <translation>uma grade precisa saber quantos valores de um intervalo ela toma.</translation>
    </message>
    <message>
        <source>a head with an output for each pixel is trained by gradient descent</source>
        <translation>uma cabeça com uma saída por pixel é treinada por gradiente descendente</translation>
    </message>
    <message>
        <source>a label must be 0 or 1; received {value:g}</source>
        <translation>um rótulo deve ser 0 ou 1; recebido: {value:g}</translation>
    </message>
    <message>
        <source>a label that contains a semicolon cannot be in a list</source>
        <translation>um rótulo que contém ponto e vírgula não pode estar em uma lista</translation>
    </message>
    <message>
        <source>a layer cannot have the id "{layer}".</source>
        <translation>uma camada não pode ter o id "{layer}".</translation>
    </message>
    <message>
        <source>a layer {kind} is not accepted: it may contain code, or read files</source>
        <translation>uma camada {kind} não é aceita: ela pode conter código ou ler arquivos</translation>
    </message>
    <message>
        <source>a limit can be changed, not removed; it is {limit:g}.</source>
        <translation>um limite pode ser alterado, mas não removido; ele é {limit:g}.</translation>
    </message>
    <message>
        <source>a linear SVM gives no probabilities of labels</source>
        <translation>uma SVM linear não dá probabilidades de rótulos</translation>
    </message>
    <message>
        <source>a linear SVM learns classes</source>
        <translation>uma SVM linear aprende classes</translation>
    </message>
    <message>
        <source>a link that is not followed</source>
        <translation>um link que não é seguido</translation>
    </message>
    <message>
        <source>a link that points outside</source>
        <translation>um link que aponta para fora</translation>
    </message>
    <message>
        <source>a link to a folder that was already read</source>
        <translation>um link para uma pasta que já foi lida</translation>
    </message>
    <message>
        <source>a link; links in archives are not followed</source>
        <translation>um link; links em pacotes compactados não são seguidos</translation>
    </message>
    <message>
        <source>a logarithmic range cannot have a step; {field} received one</source>
        <translation>um intervalo logarítmico não pode ter passo; {field} recebeu um</translation>
    </message>
    <message>
        <source>a logarithmic range must begin above 0; {field} received {low:g}</source>
        <translation>um intervalo logarítmico deve começar acima de 0; {field} recebeu {low:g}</translation>
    </message>
    <message>
        <source>a mask in it extends beyond the image</source>
        <translation>uma máscara nele ultrapassa a imagem</translation>
    </message>
    <message>
        <source>a mask in it is damaged</source>
        <translation>uma máscara nele está danificada</translation>
    </message>
    <message>
        <source>a model file needs a dataset for the evaluation</source>
        <translation>um arquivo de modelo precisa de um conjunto de dados para ser avaliado</translation>
    </message>
    <message>
        <source>a name in it is not text</source>
        <translation>um nome nele não é texto</translation>
    </message>
    <message>
        <source>a network for masks covers whole images</source>
        <translation>uma rede para máscaras cobre imagens inteiras</translation>
    </message>
    <message>
        <source>a number above {limit:g} is needed; received {received:g}.</source>
        <translation>é preciso um número acima de {limit:g}; recebido {received:g}.</translation>
    </message>
    <message>
        <source>a number below {limit:g} is needed; received {received:g}.</source>
        <translation>é preciso um número abaixo de {limit:g}; recebido {received:g}.</translation>
    </message>
    <message>
        <source>a number of at least {limit:g} is needed; received {received:g}.</source>
        <translation>é necessário um número de no mínimo {limit:g}; recebido {received:g}.</translation>
    </message>
    <message>
        <source>a number of at most {limit:g} is needed; received {received:g}.</source>
        <translation>é necessário um número de no máximo {limit:g}; recebido {received:g}.</translation>
    </message>
    <message>
        <source>a pattern is for the methods group and kfold; received {pattern}</source>
        <translation>um padrão serve para os métodos group e kfold; recebido {pattern}</translation>
    </message>
    <message>
        <source>a polygon has fewer than three corners</source>
        <translation>um polígono tem menos de três vértices</translation>
    </message>
    <message>
        <source>a polygon is not a list of numbers</source>
        <translation>um polígono não é uma lista de números</translation>
    </message>
    <message>
        <source>a range needs both of its ends.</source>
        <translation>um intervalo precisa dos dois extremos.</translation>
    </message>
    <message>
        <source>a shape has fewer than two points</source>
        <translation>uma forma tem menos de dois pontos</translation>
    </message>
    <message>
        <source>a shape has no label</source>
        <translation>uma forma não tem rótulo</translation>
    </message>
    <message>
        <source>a sparse file</source>
        <translation>um arquivo esparso</translation>
    </message>
    <message>
        <source>a square of {side} pixels does not fit into images of {width}x{height}.</source>
        <translation>um quadrado de {side} pixels não cabe em imagens de {width}x{height}.</translation>
    </message>
    <message>
        <source>a sweep needs a field that varies.</source>
        <translation>uma varredura precisa de um campo que varie.</translation>
    </message>
    <message>
        <source>a target must be a finite number; received {value}</source>
        <translation>um alvo deve ser um número finito; recebido: {value}</translation>
    </message>
    <message>
        <source>a value is needed and none was received.</source>
        <translation>é preciso um valor, e nenhum foi recebido.</translation>
    </message>
    <message>
        <source>a value is needed between the commas.</source>
        <translation>é preciso um valor entre as vírgulas.</translation>
    </message>
    <message>
        <source>a web address; import the list, or save the picture first</source>
        <translation>um endereço da web; importe a lista, ou salve a imagem primeiro</translation>
    </message>
    <message>
        <source>a whole number is needed; received "{received}".</source>
        <translation>é preciso um número inteiro; recebido "{received}".</translation>
    </message>
    <message>
        <source>about as fast</source>
        <translation>quase tão rápido</translation>
    </message>
    <message>
        <source>adding to it</source>
        <translation>adicionar a ele</translation>
    </message>
    <message>
        <source>all there</source>
        <translation>tudo presente</translation>
    </message>
    <message>
        <source>an array of shape {shape} contains no images</source>
        <translation>um array do formato {shape} não contém imagens</translation>
    </message>
    <message>
        <source>an audit</source>
        <translation>uma auditoria</translation>
    </message>
    <message>
        <source>an auxiliary output is "{layer}", which does not exist.</source>
        <translation>uma saída auxiliar é "{layer}", que não existe.</translation>
    </message>
    <message>
        <source>an auxiliary output that does not give {answers}.</source>
        <translation>uma saída auxiliar que não fornece {answers}.</translation>
    </message>
    <message>
        <source>an evaluation</source>
        <translation>uma avaliação</translation>
    </message>
    <message>
        <source>an image in it takes more than {limit} MB</source>
        <translation>uma imagem nele ocupa mais de {limit} MB</translation>
    </message>
    <message>
        <source>annotation format</source>
        <translation>formato de anotação</translation>
    </message>
    <message>
        <source>any number of</source>
        <translation>qualquer número de</translation>
    </message>
    <message>
        <source>any number of labels per image</source>
        <translation>qualquer número de rótulos por imagem</translation>
    </message>
    <message>
        <source>anything from {low:.0f} to {high:.0f} points is possible</source>
        <translation>qualquer coisa de {low:.0f} a {high:.0f} pontos é possível</translation>
    </message>
    <message>
        <source>argument {number}</source>
        <translation>argumento {number}</translation>
    </message>
    <message>
        <source>as large</source>
        <translation>do mesmo tamanho</translation>
    </message>
    <message>
        <source>at least 1 input</source>
        <translation>pelo menos 1 entrada</translation>
    </message>
    <message>
        <source>at least 2 inputs</source>
        <translation>pelo menos 2 entradas</translation>
    </message>
    <message>
        <source>at least one is required</source>
        <translation>é necessário pelo menos um</translation>
    </message>
    <message>
        <source>audit</source>
        <translation>auditoria</translation>
    </message>
    <message>
        <source>augmentation preset</source>
        <translation>predefinição de aumento de dados</translation>
    </message>
    <message>
        <source>augmentation runs on the CPU: the training device does not support {operations}.</source>
        <translation>o aumento de dados é executado na CPU: o dispositivo de treino não suporta {operations}.</translation>
    </message>
    <message>
        <source>auto, cpu, cpu:2, gpu, gpu:1, gpu:0,2 or gpus:2</source>
        <translation>auto, cpu, cpu:2, gpu, gpu:1, gpu:0,2 ou gpus:2</translation>
    </message>
    <message>
        <source>averaging two images would need masks with fractions of classes</source>
        <translation>a média de duas imagens exigiria máscaras com frações de classes</translation>
    </message>
    <message>
        <source>balanced sampling needs shuffling.</source>
        <translation>a amostragem equilibrada precisa de embaralhamento.</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>linha de base</translation>
    </message>
    <message>
        <source>baseline models on small copies of the images cannot predict masks</source>
        <translation>modelos de referência em cópias pequenas das imagens não podem prever máscaras</translation>
    </message>
    <message>
        <source>batch normalization needs the statistics of a batch, and one image is too few.</source>
        <translation>a normalização em lote precisa das estatísticas de um lote, e uma imagem é pouco.</translation>
    </message>
    <message>
        <source>batches of one image cannot be mixed.</source>
        <translation>lotes de uma imagem não podem ser misturados.</translation>
    </message>
    <message>
        <source>batches of this size were trained</source>
        <translation>foram treinados lotes desse tamanho</translation>
    </message>
    <message>
        <source>benchmark</source>
        <translation>benchmark</translation>
    </message>
    <message>
        <source>benchmark of operations</source>
        <translation>benchmark de operações</translation>
    </message>
    <message>
        <source>benchmark of predictions</source>
        <translation>benchmark de previsões</translation>
    </message>
    <message>
        <source>between {low:.1f} and {high:.1f}</source>
        <translation>entre {low:.1f} e {high:.1f}</translation>
    </message>
    <message>
        <source>class</source>
        <translation>classe</translation>
    </message>
    <message>
        <source>class colors have the form #rrggbb; received {received}</source>
        <translation>cores de classes têm a forma #rrggbb; foi recebido {received}</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>classes</translation>
    </message>
    <message>
        <source>colors and edges, without pretrained weights</source>
        <translation>cores e bordas, sem pesos pré-treinados</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>concluído</translation>
    </message>
    <message>
        <source>computed from smaller batches</source>
        <translation>calculado a partir de lotes menores</translation>
    </message>
    <message>
        <source>computed once</source>
        <translation>calculadas uma vez</translation>
    </message>
    <message>
        <source>could not start: a DLL failed to initialize</source>
        <translation>não pôde iniciar: uma DLL não foi inicializada</translation>
    </message>
    <message>
        <source>could not start: a DLL is missing</source>
        <translation>não pôde iniciar: falta uma DLL</translation>
    </message>
    <message>
        <source>could not start: a DLL is of the wrong version</source>
        <translation>não pôde iniciar: uma DLL é da versão errada</translation>
    </message>
    <message>
        <source>crashed: Windows stopped it after a damaged stack or a failed check</source>
        <translation>travou: o Windows o encerrou após uma pilha danificada ou uma verificação que falhou</translation>
    </message>
    <message>
        <source>crashed: invalid memory access, possibly by a driver</source>
        <translation>travou: acesso inválido à memória, talvez por um driver</translation>
    </message>
    <message>
        <source>crashed: its memory was damaged</source>
        <translation>travou: sua memória foi danificada</translation>
    </message>
    <message>
        <source>crashed: its stack overflowed</source>
        <translation>travou: sua pilha transbordou</translation>
    </message>
    <message>
        <source>crashed: this CPU does not support an instruction that a library uses</source>
        <translation>travou: esta CPU não suporta uma instrução que uma biblioteca usa</translation>
    </message>
    <message>
        <source>dataset</source>
        <translation>conjunto de dados</translation>
    </message>
    <message>
        <source>did not load in {seconds} s</source>
        <translation>não carregou em {seconds} s</translation>
    </message>
    <message>
        <source>does not load: {reason}</source>
        <translation>não carrega: {reason}</translation>
    </message>
    <message>
        <source>drawing a map</source>
        <translation>desenhar um mapa</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>mapa de características</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>épocas</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>avaliação</translation>
    </message>
    <message>
        <source>every axis must occur once, counted from 1; received "{text}"</source>
        <translation>cada eixo deve ocorrer uma vez, contado a partir de 1; recebido "{text}"</translation>
    </message>
    <message>
        <source>every layer is frozen, so training would change nothing.</source>
        <translation>todas as camadas estão congeladas, por isso o treino não mudaria nada.</translation>
    </message>
    <message>
        <source>exit code {code}</source>
        <translation>código de saída {code}</translation>
    </message>
    <message>
        <source>export</source>
        <translation>exportação</translation>
    </message>
    <message>
        <source>export format</source>
        <translation>formato de exportação</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>com falha</translation>
    </message>
    <message>
        <source>features of images</source>
        <translation>características das imagens</translation>
    </message>
    <message>
        <source>fewer than two classes have {count} images</source>
        <translation>menos de duas classes têm {count} imagens</translation>
    </message>
    <message>
        <source>float32, float16, dynamic or int8, separated by commas; or all.</source>
        <translation>float32, float16, dynamic ou int8, separados por vírgulas; ou all (todos).</translation>
    </message>
    <message>
        <source>float32, mixed_bfloat16 or mixed_float16, separated by commas.</source>
        <translation>float32, mixed_bfloat16 ou mixed_float16, separados por vírgulas.</translation>
    </message>
    <message>
        <source>for the test</source>
        <translation>para o teste</translation>
    </message>
    <message>
        <source>for validation</source>
        <translation>para validação</translation>
    </message>
    <message>
        <source>gradients are clipped in one way at a time.</source>
        <translation>gradientes são limitados de uma só forma de cada vez.</translation>
    </message>
    <message>
        <source>h</source>
        <translation>h</translation>
    </message>
    <message>
        <source>iCloud Drive</source>
        <translation>iCloud Drive</translation>
    </message>
    <message>
        <source>images</source>
        <translation>imagens</translation>
    </message>
    <message>
        <source>images and masks</source>
        <translation>imagens e máscaras</translation>
    </message>
    <message>
        <source>images of shape {shape} are not supported</source>
        <translation>imagens do formato {shape} não são suportadas</translation>
    </message>
    <message>
        <source>it blends several transformed copies of an image, which masks cannot represent</source>
        <translation>ele mistura várias cópias transformadas de uma imagem, o que máscaras não podem representar</translation>
    </message>
    <message>
        <source>it cannot be downloaded ({reason})</source>
        <translation>não pode ser baixado ({reason})</translation>
    </message>
    <message>
        <source>it cannot be extended</source>
        <translation>não pode ser prolongado</translation>
    </message>
    <message>
        <source>it cannot be moved</source>
        <translation>não pode ser movido</translation>
    </message>
    <message>
        <source>it cannot be paused</source>
        <translation>não pode ser pausado</translation>
    </message>
    <message>
        <source>it cannot be put on hold</source>
        <translation>não pode ser retido</translation>
    </message>
    <message>
        <source>it cannot be read</source>
        <translation>não pode ser lido</translation>
    </message>
    <message>
        <source>it cannot be read: {reason}</source>
        <translation>não pode ser lido: {reason}</translation>
    </message>
    <message>
        <source>it cannot be resumed</source>
        <translation>não pode ser retomado</translation>
    </message>
    <message>
        <source>it cannot be saved</source>
        <translation>não pode ser salvo</translation>
    </message>
    <message>
        <source>it claims {claimed:,.0f} MB, but only {stored:,.1f} MB are stored</source>
        <translation>ele declara {claimed:,.0f} MB, mas só {stored:,.1f} MB estão armazenados</translation>
    </message>
    <message>
        <source>it claims {count:,} images, more than a file of its size can hold</source>
        <translation>ele declara {count:,} imagens, mais do que um arquivo desse tamanho pode conter</translation>
    </message>
    <message>
        <source>it claims {count} images of {width}x{height}, which is impossible</source>
        <translation>diz conter {count} imagens de {width}x{height}, o que é impossível</translation>
    </message>
    <message>
        <source>it claims {count} images, more than are supported</source>
        <translation>diz conter {count} imagens, mais do que é suportado</translation>
    </message>
    <message>
        <source>it contains a {kind}</source>
        <translation>contém um registro do tipo {kind}</translation>
    </message>
    <message>
        <source>it contains code ({module}.{name}), which is not allowed</source>
        <translation>contém código ({module}.{name}), o que não é permitido</translation>
    </message>
    <message>
        <source>it contains no weights of layers</source>
        <translation>não contém pesos de camadas</translation>
    </message>
    <message>
        <source>it contains {count:,} files</source>
        <translation>contém {count:,} arquivos</translation>
    </message>
    <message>
        <source>it contains {count} images but {labels} labels</source>
        <translation>contém {count} imagens, mas {labels} rótulos</translation>
    </message>
    <message>
        <source>it contains {name}</source>
        <translation>contém {name}</translation>
    </message>
    <message>
        <source>it did not arrive within {seconds:.0f} seconds</source>
        <translation>não chegou em {seconds:.0f} segundos</translation>
    </message>
    <message>
        <source>it does not fit</source>
        <translation>não combina</translation>
    </message>
    <message>
        <source>it ended after {done:,} of {total:,} bytes</source>
        <translation>terminou depois de {done:,} de {total:,} bytes</translation>
    </message>
    <message>
        <source>it has a shape of an unknown type, "{kind}"</source>
        <translation>tem uma forma de tipo desconhecido, "{kind}"</translation>
    </message>
    <message>
        <source>it has more than {limit} different pixel values, so it looks like a photo</source>
        <translation>tem mais de {limit} valores de pixel diferentes e por isso parece uma fotografia</translation>
    </message>
    <message>
        <source>it has no LabelMe file</source>
        <translation>não tem um arquivo LabelMe</translation>
    </message>
    <message>
        <source>it has no column of images, only {columns}</source>
        <translation>não tem coluna de imagens, só {columns}</translation>
    </message>
    <message>
        <source>it has no column of labels, only {columns}</source>
        <translation>não tem coluna de rótulos, só {columns}</translation>
    </message>
    <message>
        <source>it has no label</source>
        <translation>não tem rótulo</translation>
    </message>
    <message>
        <source>it has no mask named "{name}"</source>
        <translation>não tem uma máscara chamada "{name}"</translation>
    </message>
    <message>
        <source>it has no name</source>
        <translation>não tem nome</translation>
    </message>
    <message>
        <source>it has no {layers}</source>
        <translation>não tem {layers}</translation>
    </message>
    <message>
        <source>it has no {name}</source>
        <translation>não tem {name}</translation>
    </message>
    <message>
        <source>it has other classes, or another order.</source>
        <translation>tem outras classes ou outra ordem.</translation>
    </message>
    <message>
        <source>it has the same name as {file}</source>
        <translation>tem o mesmo nome que {file}</translation>
    </message>
    <message>
        <source>it has {count} columns of targets and {names} names for them</source>
        <translation>há {count} colunas de alvos e {names} nomes para elas</translation>
    </message>
    <message>
        <source>it has {count} columns of targets and {units} units for them</source>
        <translation>há {count} colunas de alvos e {units} unidades para elas</translation>
    </message>
    <message>
        <source>it has {width}x{height} pixels, but its image has {picture_width}x{picture_height}</source>
        <translation>tem {width}x{height} pixels, mas a imagem tem {picture_width}x{picture_height}</translation>
    </message>
    <message>
        <source>it holds no images</source>
        <translation>não contém imagens</translation>
    </message>
    <message>
        <source>it holds no labels</source>
        <translation>não contém rótulos</translation>
    </message>
    <message>
        <source>it is a tenth of the rate at which the loss is lowest</source>
        <translation>é um décimo da taxa em que a perda é menor</translation>
    </message>
    <message>
        <source>it is a zip archive and an HDF5 file at once</source>
        <translation>é um arquivo zip e um arquivo HDF5 ao mesmo tempo</translation>
    </message>
    <message>
        <source>it is already an output of the network, so it cannot be an auxiliary one.</source>
        <translation>já é uma saída da rede, por isso não pode ser uma auxiliar.</translation>
    </message>
    <message>
        <source>it is an HDF5 file without a model in it</source>
        <translation>é um arquivo HDF5 sem um modelo dentro</translation>
    </message>
    <message>
        <source>it is an archive without a model in it</source>
        <translation>é um pacote compactado sem um modelo dentro</translation>
    </message>
    <message>
        <source>it is colored, but the other masks are grayscale</source>
        <translation>é colorida, mas as outras máscaras são em tons de cinza</translation>
    </message>
    <message>
        <source>it is compressed beyond reason</source>
        <translation>a compressão é exagerada</translation>
    </message>
    <message>
        <source>it is damaged or not a JSON file</source>
        <translation>está danificado ou não é um arquivo JSON</translation>
    </message>
    <message>
        <source>it is damaged or truncated</source>
        <translation>está danificado ou truncado</translation>
    </message>
    <message>
        <source>it is damaged, or not a Keras model</source>
        <translation>está danificado ou não é um modelo do Keras</translation>
    </message>
    <message>
        <source>it is damaged, or not a weights file</source>
        <translation>está danificado, ou não é um arquivo de pesos</translation>
    </message>
    <message>
        <source>it is damaged, or of another format</source>
        <translation>está danificado ou é de outro formato</translation>
    </message>
    <message>
        <source>it is encrypted</source>
        <translation>está criptografado</translation>
    </message>
    <message>
        <source>it is in a list, but the image does not exist</source>
        <translation>está em uma lista, mas a imagem não existe</translation>
    </message>
    <message>
        <source>it is larger than the memory</source>
        <translation>é maior que a memória</translation>
    </message>
    <message>
        <source>it is listed in {file}, but does not exist</source>
        <translation>está listada em {file}, mas não existe</translation>
    </message>
    <message>
        <source>it is no video that can be read</source>
        <translation>não é um vídeo que possa ser lido</translation>
    </message>
    <message>
        <source>it is not UTF-8 text</source>
        <translation>não é um texto em UTF-8</translation>
    </message>
    <message>
        <source>it is not a CIFAR batch</source>
        <translation>não é um lote do CIFAR</translation>
    </message>
    <message>
        <source>it is not a page that lists files, but {kind}</source>
        <translation>não é uma página que lista arquivos, mas {kind}</translation>
    </message>
    <message>
        <source>it is not a path</source>
        <translation>não é um caminho</translation>
    </message>
    <message>
        <source>it is not an HDF5 file</source>
        <translation>não é um arquivo HDF5</translation>
    </message>
    <message>
        <source>it is not an IDX file of bytes, or truncated</source>
        <translation>não é um arquivo IDX de bytes, ou está truncado</translation>
    </message>
    <message>
        <source>it is not connected to the output, so it is ignored.</source>
        <translation>ela não está ligada à saída; por isso é ignorada.</translation>
    </message>
    <message>
        <source>it is not in a class folder</source>
        <translation>não está em uma pasta de classe</translation>
    </message>
    <message>
        <source>it is not the published {file} (its checksum differs)</source>
        <translation>não é o {file} publicado (a soma de verificação difere)</translation>
    </message>
    <message>
        <source>it is not valid JSON (line {line}, column {column})</source>
        <translation>não é um JSON válido (linha {line}, coluna {column})</translation>
    </message>
    <message>
        <source>it is outside the class folders and so has no class</source>
        <translation>está fora das pastas de classes e por isso não tem classe</translation>
    </message>
    <message>
        <source>it is stored column by column and too large to transpose</source>
        <translation>está armazenado coluna por coluna e é grande demais para ser transposto</translation>
    </message>
    <message>
        <source>it is stored in chunks of more than {limit} MB</source>
        <translation>está armazenado em blocos de mais de {limit} MB</translation>
    </message>
    <message>
        <source>it is truncated</source>
        <translation>está truncado</translation>
    </message>
    <message>
        <source>it is {width}x{height} {mode}, not {expected_width}x{expected_height} {expected_mode}</source>
        <translation>é {width}x{height} {mode}, não {expected_width}x{expected_height} {expected_mode}</translation>
    </message>
    <message>
        <source>it lies too deep</source>
        <translation>fica fundo demais</translation>
    </message>
    <message>
        <source>it names no classes</source>
        <translation>não dá nome a classes</translation>
    </message>
    <message>
        <source>it needs a backbone as its input, but {layer} is not a backbone.</source>
        <translation>precisa de um backbone como entrada, mas {layer} não é um backbone.</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>não existe mais</translation>
    </message>
    <message>
        <source>it printed nothing</source>
        <translation>não imprimiu nada</translation>
    </message>
    <message>
        <source>it resplits the images, and the edits of this dataset refer to the current split: they cannot be carried over.</source>
        <translation>ela redivide as imagens, e as edições deste conjunto se referem à divisão atual: não podem ser transferidas.</translation>
    </message>
    <message>
        <source>it takes the output of "{layer}", which does not exist.</source>
        <translation>recebe a saída de "{layer}", que não existe.</translation>
    </message>
    <message>
        <source>it varies twice.</source>
        <translation>varia duas vezes.</translation>
    </message>
    <message>
        <source>it varies, and trials are repeated with other seeds, too.</source>
        <translation>varia, e as tentativas também são repetidas com outras sementes.</translation>
    </message>
    <message>
        <source>it was not asked for</source>
        <translation>não foi pedido</translation>
    </message>
    <message>
        <source>it was written by a newer Studio (format {version}; this one reads {supported}).</source>
        <translation>foi gravado por um Studio mais novo (formato {version}; este lê {supported}).</translation>
    </message>
    <message>
        <source>it would be cut into {count:,} tiles; the limit is {limit:,}</source>
        <translation>seria recortada em {count:,} partes; o limite é {limit:,}</translation>
    </message>
    <message>
        <source>its JSON is not an object</source>
        <translation>seu JSON não é um objeto</translation>
    </message>
    <message>
        <source>its RLE has no size or no counts</source>
        <translation>seu RLE não tem tamanho ou contagens</translation>
    </message>
    <message>
        <source>its RLE is damaged</source>
        <translation>seu RLE está danificado</translation>
    </message>
    <message>
        <source>its annotation is damaged: {reason}</source>
        <translation>sua anotação está danificada: {reason}</translation>
    </message>
    <message>
        <source>its category {category} is not in the list of categories</source>
        <translation>sua categoria {category} não está na lista de categorias</translation>
    </message>
    <message>
        <source>its checksum differs from the one published by Keras</source>
        <translation>a soma de verificação difere da publicada pelo Keras</translation>
    </message>
    <message>
        <source>its chunks are too large for LZF; use gzip</source>
        <translation>os blocos são grandes demais para LZF; use gzip</translation>
    </message>
    <message>
        <source>its columns are {columns}; those of the first file are {expected}</source>
        <translation>suas colunas são {columns}; as do primeiro arquivo são {expected}</translation>
    </message>
    <message>
        <source>its compression is not supported; use an ordinary zip</source>
        <translation>a compactação dele não é suportada; use um zip comum</translation>
    </message>
    <message>
        <source>its compression is not supported; use gzip</source>
        <translation>a compactação dele não é suportada; use gzip</translation>
    </message>
    <message>
        <source>its data is damaged or truncated</source>
        <translation>os dados estão danificados ou truncados</translation>
    </message>
    <message>
        <source>its data is nested too deeply</source>
        <translation>os dados estão aninhados demais</translation>
    </message>
    <message>
        <source>its description is larger than any model's</source>
        <translation>a descrição é maior que a de qualquer modelo</translation>
    </message>
    <message>
        <source>its description was not written by Keras</source>
        <translation>a descrição não foi gravada pelo Keras</translation>
    </message>
    <message>
        <source>its end is missing, as after an interrupted copy or download</source>
        <translation>falta o final, como após uma cópia ou um download interrompido</translation>
    </message>
    <message>
        <source>its image "{file}" does not exist</source>
        <translation>sua imagem "{file}" não existe</translation>
    </message>
    <message>
        <source>its images are not bytes of 32x32 pixels</source>
        <translation>as imagens não são bytes de 32x32 pixels</translation>
    </message>
    <message>
        <source>its label is longer than {limit:,} characters</source>
        <translation>o rótulo tem mais de {limit:,} caracteres</translation>
    </message>
    <message>
        <source>its label is neither a name nor a whole number</source>
        <translation>o rótulo não é um nome nem um número inteiro</translation>
    </message>
    <message>
        <source>its labels are longer than {limit:,} characters</source>
        <translation>os rótulos têm mais de {limit:,} caracteres</translation>
    </message>
    <message>
        <source>its labels are neither names nor whole numbers</source>
        <translation>os rótulos não são nomes nem números inteiros</translation>
    </message>
    <message>
        <source>its labels are too large</source>
        <translation>os rótulos são grandes demais</translation>
    </message>
    <message>
        <source>its labels file {file} is missing</source>
        <translation>falta o arquivo de rótulos {file}</translation>
    </message>
    <message>
        <source>its layers do not fit each other</source>
        <translation>as camadas não combinam entre si</translation>
    </message>
    <message>
        <source>its learning rate cannot be changed</source>
        <translation>sua taxa de aprendizado não pode ser alterada</translation>
    </message>
    <message>
        <source>its mask {file} cannot be used: {reason}</source>
        <translation>sua máscara {file} não pode ser usada: {reason}</translation>
    </message>
    <message>
        <source>its name holds a zero byte</source>
        <translation>o nome contém um byte zero</translation>
    </message>
    <message>
        <source>its name is an absolute path</source>
        <translation>o nome é um caminho absoluto</translation>
    </message>
    <message>
        <source>its name is longer than {limit:,} characters</source>
        <translation>o nome tem mais de {limit:,} caracteres</translation>
    </message>
    <message>
        <source>its name is not valid UTF-8</source>
        <translation>o nome não é UTF-8 válido</translation>
    </message>
    <message>
        <source>its name points outside</source>
        <translation>o nome aponta para fora</translation>
    </message>
    <message>
        <source>its name points outside of the archive</source>
        <translation>o nome aponta para fora do pacote compactado</translation>
    </message>
    <message>
        <source>its outline is neither a polygon nor RLE</source>
        <translation>seu contorno não é um polígono nem RLE</translation>
    </message>
    <message>
        <source>its pixel values are not integers</source>
        <translation>os valores dos pixels não são inteiros</translation>
    </message>
    <message>
        <source>its pixel values are not integers from 0 to {limit}</source>
        <translation>os valores dos pixels não são inteiros de 0 a {limit}</translation>
    </message>
    <message>
        <source>its plan or journal is missing</source>
        <translation>falta o plano ou o diário</translation>
    </message>
    <message>
        <source>its polygons have too many corners</source>
        <translation>seus polígonos têm vértices demais</translation>
    </message>
    <message>
        <source>its targets are {columns}; those of the first array are {expected}</source>
        <translation>seus alvos são {columns}; os do primeiro array são {expected}</translation>
    </message>
    <message>
        <source>its targets are {dtype} instead of numbers, or too many</source>
        <translation>seus alvos são {dtype} em vez de números, ou são demais</translation>
    </message>
    <message>
        <source>its texts are damaged</source>
        <translation>os textos dele estão danificados</translation>
    </message>
    <message>
        <source>its texts are too long</source>
        <translation>os textos são longos demais</translation>
    </message>
    <message>
        <source>its weights are damaged, or do not fit its layers</source>
        <translation>os pesos estão danificados ou não combinam com as camadas</translation>
    </message>
    <message>
        <source>its {count} columns of targets have no names; add an array target_names, or a labels file with a name per line</source>
        <translation>suas {count} colunas de alvos não têm nomes; adicione um array target_names ou um arquivo de rótulos com um nome por linha</translation>
    </message>
    <message>
        <source>its {name} is damaged</source>
        <translation>seu {name} está danificado</translation>
    </message>
    <message>
        <source>its {name} is too large</source>
        <translation>seu {name} é grande demais</translation>
    </message>
    <message>
        <source>jax</source>
        <translation>jax</translation>
    </message>
    <message>
        <source>kept from before</source>
        <translation>guardadas de antes</translation>
    </message>
    <message>
        <source>keras, savedmodel, tflite, onnx, openvino, torch, weights, divided by commas; or all.</source>
        <translation>keras, savedmodel, tflite, onnx, openvino, torch, weights, separados por vírgulas; ou all.</translation>
    </message>
    <message>
        <source>label</source>
        <translation>rótulo</translation>
    </message>
    <message>
        <source>labels</source>
        <translation>rótulos</translation>
    </message>
    <message>
        <source>layers with random weights are frozen, so they never learn anything.</source>
        <translation>camadas com pesos aleatórios estão congeladas, por isso nunca aprendem nada.</translation>
    </message>
    <message numerus="yes">
        <source>leakage: of the validation and test images, {count:,} are the same or nearly the same as images of another split, so accuracy measured on them is too good.</source>
        <translation><numerusform>vazamento: das imagens de validação e de teste, {count:,} é igual ou quase igual a uma imagem de outra divisão, por isso a acurácia medida nela é boa demais.</numerusform><numerusform>vazamento: das imagens de validação e de teste, {count:,} são iguais ou quase iguais a imagens de outra divisão, por isso a acurácia medida nelas é boa demais.</numerusform></translation>
    </message>
    <message>
        <source>learning-rate policy</source>
        <translation>política da taxa de aprendizado</translation>
    </message>
    <message>
        <source>logistic regression learns classes</source>
        <translation>a regressão logística aprende classes</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>perdido</translation>
    </message>
    <message>
        <source>mAP</source>
        <translation>mAP</translation>
    </message>
    <message>
        <source>masks are transformed together with their images on the CPU</source>
        <translation>as máscaras são transformadas junto com as suas imagens na CPU</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>memória</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>missing: {libraries}</source>
        <translation>faltam: {libraries}</translation>
    </message>
    <message>
        <source>mixed_float16 or mixed_bfloat16 can double the speed of newer GPUs; a CPU seldom gains.</source>
        <translation>mixed_float16 ou mixed_bfloat16 podem dobrar a velocidade de GPUs mais novas; uma CPU raramente ganha.</translation>
    </message>
    <message>
        <source>model.xml and model.bin for OpenVINO: fast on Intel processors and their GPUs.</source>
        <translation>model.xml e model.bin para o OpenVINO: rápido em processadores da Intel e suas GPUs.</translation>
    </message>
    <message>
        <source>momentum is for SGD and RMSprop; {optimizer} has its own.</source>
        <translation>o momento é para SGD e RMSprop; {optimizer} tem o seu próprio.</translation>
    </message>
    <message>
        <source>more than {limit} million pixels</source>
        <translation>mais de {limit} milhões de pixels</translation>
    </message>
    <message>
        <source>more would not fit into memory</source>
        <translation>mais não caberia na memória</translation>
    </message>
    <message>
        <source>must be a finite number</source>
        <translation>deve ser um número finito</translation>
    </message>
    <message>
        <source>must be a group of settings</source>
        <translation>deve ser um grupo de configurações</translation>
    </message>
    <message>
        <source>must be a list</source>
        <translation>deve ser uma lista</translation>
    </message>
    <message>
        <source>must be a number</source>
        <translation>deve ser um número</translation>
    </message>
    <message>
        <source>must be a whole number</source>
        <translation>deve ser um número inteiro</translation>
    </message>
    <message>
        <source>must be at least {ge}</source>
        <translation>deve ser no mínimo {ge}</translation>
    </message>
    <message>
        <source>must be at most {le}</source>
        <translation>deve ser no máximo {le}</translation>
    </message>
    <message>
        <source>must be greater than {gt}</source>
        <translation>deve ser maior que {gt}</translation>
    </message>
    <message>
        <source>must be less than {lt}</source>
        <translation>deve ser menor que {lt}</translation>
    </message>
    <message>
        <source>must be on or off (true or false)</source>
        <translation>deve ser ligado ou desligado (true ou false)</translation>
    </message>
    <message>
        <source>must be one of {expected}</source>
        <translation>deve ser um destes: {expected}</translation>
    </message>
    <message>
        <source>must be text</source>
        <translation>deve ser um texto</translation>
    </message>
    <message>
        <source>must have at least {min_length} characters</source>
        <translation>deve ter pelo menos {min_length} caracteres</translation>
    </message>
    <message>
        <source>must have at least {min_length} entries</source>
        <translation>deve ter pelo menos {min_length} entradas</translation>
    </message>
    <message>
        <source>must have at most {max_length} characters</source>
        <translation>deve ter no máximo {max_length} caracteres</translation>
    </message>
    <message>
        <source>must have at most {max_length} entries</source>
        <translation>deve ter no máximo {max_length} entradas</translation>
    </message>
    <message>
        <source>network</source>
        <translation>rede</translation>
    </message>
    <message>
        <source>no arrays</source>
        <translation>nenhum array</translation>
    </message>
    <message>
        <source>no image belongs to this mask</source>
        <translation>nenhuma imagem pertence a esta máscara</translation>
    </message>
    <message>
        <source>no label</source>
        <translation>nenhum rótulo</translation>
    </message>
    <message>
        <source>no reason is given</source>
        <translation>nenhum motivo é dado</translation>
    </message>
    <message>
        <source>no unit</source>
        <translation>nenhuma unidade</translation>
    </message>
    <message>
        <source>none</source>
        <translation>nenhum</translation>
    </message>
    <message>
        <source>none is installed</source>
        <translation>nenhuma está instalada</translation>
    </message>
    <message>
        <source>none of its pixels belongs to a class</source>
        <translation>nenhum dos seus pixels pertence a uma classe</translation>
    </message>
    <message>
        <source>none reported by the NVIDIA driver</source>
        <translation>nenhuma relatada pelo driver da NVIDIA</translation>
    </message>
    <message>
        <source>not a regular file</source>
        <translation>não é um arquivo comum</translation>
    </message>
    <message>
        <source>not an image</source>
        <translation>não é uma imagem</translation>
    </message>
    <message>
        <source>not an image, or damaged at its beginning</source>
        <translation>não é uma imagem, ou está danificada no início</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>não instalado</translation>
    </message>
    <message>
        <source>not installed as a package</source>
        <translation>não instalado como pacote</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nada</translation>
    </message>
    <message>
        <source>nothing can be moved before it</source>
        <translation>nada pode ser movido para antes</translation>
    </message>
    <message>
        <source>nothing takes it</source>
        <translation>nada a recebe</translation>
    </message>
    <message>
        <source>numbers separated by commas are needed; received "{text}"</source>
        <translation>são necessários números separados por vírgulas; recebido "{text}"</translation>
    </message>
    <message>
        <source>of an unknown version</source>
        <translation>de uma versão desconhecida</translation>
    </message>
    <message>
        <source>off</source>
        <translation>desligado</translation>
    </message>
    <message>
        <source>on</source>
        <translation>ligado</translation>
    </message>
    <message>
        <source>on a cluster Ray chooses which GPUs; these are named by their numbers.</source>
        <translation>em um cluster é o Ray que escolhe as GPUs; estas são indicadas pelos números.</translation>
    </message>
    <message>
        <source>on hold until it is released</source>
        <translation>retido até ser liberado</translation>
    </message>
    <message>
        <source>on or off is required; received "{value}".</source>
        <translation>é preciso ligado ou desligado; recebido "{value}".</translation>
    </message>
    <message>
        <source>one class per image</source>
        <translation>uma classe por imagem</translation>
    </message>
    <message>
        <source>one cycle already has a warm-up.</source>
        <translation>um ciclo já tem aquecimento.</translation>
    </message>
    <message>
        <source>one or more are needed, each once.</source>
        <translation>é preciso um ou mais, cada um uma vez.</translation>
    </message>
    <message>
        <source>one or more numbers per image</source>
        <translation>um ou mais números por imagem</translation>
    </message>
    <message>
        <source>one or more values are needed.</source>
        <translation>é preciso um ou mais valores.</translation>
    </message>
    <message>
        <source>one probability per label</source>
        <translation>uma probabilidade por rótulo</translation>
    </message>
    <message>
        <source>only a run has a head to keep.</source>
        <translation>só um treino tem uma cabeça a manter.</translation>
    </message>
    <message>
        <source>only http and https addresses are supported</source>
        <translation>apenas endereços http e https são aceitos</translation>
    </message>
    <message>
        <source>only numbers have ranges.</source>
        <translation>só números têm intervalos.</translation>
    </message>
    <message>
        <source>only runs have checkpoints</source>
        <translation>apenas treinos têm checkpoints</translation>
    </message>
    <message>
        <source>only {count:,} of {total:,} training images were used</source>
        <translation>apenas {count:,} de {total:,} imagens de treino foram usadas</translation>
    </message>
    <message>
        <source>onnxruntime was installed without {provider}</source>
        <translation>o onnxruntime foi instalado sem {provider}</translation>
    </message>
    <message>
        <source>operations-benchmark</source>
        <translation>benchmark de operações</translation>
    </message>
    <message>
        <source>options of a network have the form name=value; received "{option}".</source>
        <translation>as opções de uma rede têm a forma nome=valor; recebido "{option}".</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>em pausa</translation>
    </message>
    <message>
        <source>percentages above 0 and up to 100 are needed; received {received}</source>
        <translation>são necessárias porcentagens acima de 0 e até 100; recebido {received}</translation>
    </message>
    <message>
        <source>pixels per image</source>
        <translation>pixels por imagem</translation>
    </message>
    <message>
        <source>plans allow no more</source>
        <translation>os planos não permitem mais</translation>
    </message>
    <message>
        <source>points</source>
        <translation>pontos</translation>
    </message>
    <message>
        <source>prediction-benchmark</source>
        <translation>benchmark de previsões</translation>
    </message>
    <message>
        <source>preflight</source>
        <translation>verificação prévia</translation>
    </message>
    <message>
        <source>probabilities of the classes of each pixel</source>
        <translation>probabilidades das classes de cada pixel</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>podado</translation>
    </message>
    <message>
        <source>pruning supports only one objective; received several.</source>
        <translation>a poda aceita só um objetivo; foram recebidos vários.</translation>
    </message>
    <message>
        <source>px</source>
        <translation>px</translation>
    </message>
    <message>
        <source>quantities</source>
        <translation>grandezas</translation>
    </message>
    <message>
        <source>quantity</source>
        <translation>grandeza</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>na fila</translation>
    </message>
    <message>
        <source>ran out of memory</source>
        <translation>ficou sem memória</translation>
    </message>
    <message>
        <source>ran out of memory: raise the size of the page file</source>
        <translation>ficou sem memória: aumente o arquivo de paginação</translation>
    </message>
    <message>
        <source>record</source>
        <translation>registro</translation>
    </message>
    <message>
        <source>report of the audit</source>
        <translation>relatório da auditoria</translation>
    </message>
    <message>
        <source>ridge regression learns numbers</source>
        <translation>a regressão ridge aprende números</translation>
    </message>
    <message>
        <source>run</source>
        <translation>treino</translation>
    </message>
    <message>
        <source>running</source>
        <translation>em execução</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>sees {devices}</source>
        <translation>encontra {devices}</translation>
    </message>
    <message>
        <source>settings of layers vary in drawn networks only; the base is one of the gallery.</source>
        <translation>configurações de camadas só variam em redes desenhadas; a base é uma da galeria.</translation>
    </message>
    <message>
        <source>signal {signal}</source>
        <translation>sinal {signal}</translation>
    </message>
    <message>
        <source>signature not found</source>
        <translation>assinatura não encontrada</translation>
    </message>
    <message>
        <source>simple models on small copies of the images predict no quantity well enough</source>
        <translation>modelos simples em cópias reduzidas das imagens não preveem nenhuma grandeza bem o bastante</translation>
    </message>
    <message>
        <source>simple models on small copies of the images recognize no label well enough</source>
        <translation>modelos simples em cópias reduzidas das imagens não reconhecem nenhum rótulo bem o bastante</translation>
    </message>
    <message>
        <source>simple models on small copies of the images recognize only {share:.0%} of them</source>
        <translation>modelos simples em cópias reduzidas das imagens reconhecem apenas {share:.0%} delas</translation>
    </message>
    <message>
        <source>single numbers</source>
        <translation>números isolados</translation>
    </message>
    <message>
        <source>sizes of at least 1 and at most one -1 are needed; received "{text}"</source>
        <translation>são necessários tamanhos de pelo menos 1 e no máximo um -1; recebido "{text}"</translation>
    </message>
    <message>
        <source>splitting by group needs a pattern; received none</source>
        <translation>a divisão por grupo precisa de um padrão; nenhum foi recebido</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>iniciando</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>passos</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>parado</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>parando</translation>
    </message>
    <message>
        <source>such targets cannot be predicted by simple models</source>
        <translation>tais alvos não podem ser previstos por modelos simples</translation>
    </message>
    <message>
        <source>sweep</source>
        <translation>varredura</translation>
    </message>
    <message>
        <source>t-SNE</source>
        <translation>t-SNE</translation>
    </message>
    <message>
        <source>tensorflow</source>
        <translation>tensorflow</translation>
    </message>
    <message>
        <source>test</source>
        <translation>teste</translation>
    </message>
    <message>
        <source>the Dice loss compares areas of masks</source>
        <translation>a perda Dice compara áreas de máscaras</translation>
    </message>
    <message>
        <source>the Lambda "{layer}" contains code, which is not run</source>
        <translation>uma Lambda "{layer}" contém código, que não é executado</translation>
    </message>
    <message>
        <source>the archive is damaged or cut off</source>
        <translation>o pacote compactado está danificado ou cortado</translation>
    </message>
    <message>
        <source>the archive is damaged or truncated</source>
        <translation>o pacote compactado está danificado ou truncado</translation>
    </message>
    <message>
        <source>the archive is truncated</source>
        <translation>o pacote compactado está truncado</translation>
    </message>
    <message>
        <source>the array is damaged or truncated</source>
        <translation>o array está danificado ou truncado</translation>
    </message>
    <message>
        <source>the background has the form #rrggbb; received {received}</source>
        <translation>o fundo tem a forma #rrggbb; recebido {received}</translation>
    </message>
    <message>
        <source>the batch files no longer exist</source>
        <translation>os arquivos de lotes não existem mais</translation>
    </message>
    <message>
        <source>the batch is damaged</source>
        <translation>o lote está danificado</translation>
    </message>
    <message>
        <source>the batch is damaged or truncated</source>
        <translation>o lote está danificado ou truncado</translation>
    </message>
    <message>
        <source>the batch is truncated</source>
        <translation>o lote está truncado</translation>
    </message>
    <message>
        <source>the class has no training images; its {count} other images are skipped</source>
        <translation>a classe não tem imagens de treino; suas {count} outras imagens são ignoradas</translation>
    </message>
    <message numerus="yes">
        <source>the class has {count} images {use}; the minimum is {fewest}</source>
        <translation><numerusform>a classe tem {count} imagem {use}; o mínimo é {fewest}</numerusform><numerusform>a classe tem {count} imagens {use}; o mínimo é {fewest}</numerusform></translation>
    </message>
    <message>
        <source>the color mode LAB is not supported</source>
        <translation>o modo de cor LAB não é aceito</translation>
    </message>
    <message>
        <source>the color {color} belongs to no class</source>
        <translation>a cor {color} não pertence a nenhuma classe</translation>
    </message>
    <message>
        <source>the column "{column}" contains "{value}" instead of 0 or 1</source>
        <translation>a coluna "{column}" contém "{value}" em vez de 0 ou 1</translation>
    </message>
    <message>
        <source>the column "{column}" contains "{value}", which is not a number</source>
        <translation>a coluna "{column}" contém "{value}", que não é um número</translation>
    </message>
    <message>
        <source>the connection to {host} was lost</source>
        <translation>a conexão com {host} caiu</translation>
    </message>
    <message>
        <source>the connection was lost</source>
        <translation>a conexão caiu</translation>
    </message>
    <message>
        <source>the connection was lost ({reason})</source>
        <translation>a conexão caiu ({reason})</translation>
    </message>
    <message>
        <source>the connections form a cycle through {layers}.</source>
        <translation>as ligações formam um ciclo por {layers}.</translation>
    </message>
    <message>
        <source>the curve is too noisy</source>
        <translation>a curva tem ruído demais</translation>
    </message>
    <message>
        <source>the dataset "{dataset}" is {state}, not completed.</source>
        <translation>o conjunto de dados "{dataset}" está {state}, não concluído.</translation>
    </message>
    <message>
        <source>the description of its model is not valid JSON</source>
        <translation>a descrição do modelo dele não é JSON válido</translation>
    </message>
    <message>
        <source>the description of its model was not written by Keras</source>
        <translation>a descrição do modelo dele não foi gravada pelo Keras</translation>
    </message>
    <message>
        <source>the download is far larger than published</source>
        <translation>o download é muito maior do que o publicado</translation>
    </message>
    <message>
        <source>the downloaded file no longer exists</source>
        <translation>o arquivo baixado não existe mais</translation>
    </message>
    <message>
        <source>the features of {network} of the run "{run}"</source>
        <translation>as características de {network} do treino "{run}"</translation>
    </message>
    <message>
        <source>the features of {network} with ImageNet weights</source>
        <translation>as características de {network} com pesos ImageNet</translation>
    </message>
    <message>
        <source>the features of {network} with weights of {file}</source>
        <translation>as características de {network} com os pesos de {file}</translation>
    </message>
    <message>
        <source>the file is damaged</source>
        <translation>o arquivo está danificado</translation>
    </message>
    <message>
        <source>the file is damaged or truncated</source>
        <translation>o arquivo está danificado ou truncado</translation>
    </message>
    <message>
        <source>the file is damaged, or not HDF5</source>
        <translation>o arquivo está danificado, ou não é HDF5</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>o arquivo está vazio</translation>
    </message>
    <message>
        <source>the file is larger than {limit} MB</source>
        <translation>o arquivo tem mais de {limit} MB</translation>
    </message>
    <message>
        <source>the file is truncated</source>
        <translation>o arquivo está truncado</translation>
    </message>
    <message>
        <source>the folder cannot be read: {reason}</source>
        <translation>a pasta não pode ser lida: {reason}</translation>
    </message>
    <message>
        <source>the format {received} is not supported; Studio reads {expected}.</source>
        <translation>o formato {received} não é suportado; o Studio lê {expected}.</translation>
    </message>
    <message>
        <source>the group is not a regular expression ({reason}); received {pattern}</source>
        <translation>o grupo não é uma expressão regular ({reason}); recebido {pattern}</translation>
    </message>
    <message>
        <source>the head cannot be kept: {reason}</source>
        <translation>a cabeça não pode ser mantida: {reason}</translation>
    </message>
    <message>
        <source>the header of an array is too large</source>
        <translation>o cabeçalho de uma matriz é grande demais</translation>
    </message>
    <message>
        <source>the image has no pixels</source>
        <translation>a imagem não tem pixels</translation>
    </message>
    <message>
        <source>the image is damaged or truncated</source>
        <translation>a imagem está danificada ou truncada</translation>
    </message>
    <message>
        <source>the label {label} has no name: there are {count} names</source>
        <translation>o rótulo {label} não tem nome: há {count} nomes</translation>
    </message>
    <message>
        <source>the label {label} is negative</source>
        <translation>o rótulo {label} é negativo</translation>
    </message>
    <message>
        <source>the labels file does not name the class "{class_name}"</source>
        <translation>o arquivo de rótulos não contém a classe "{class_name}"</translation>
    </message>
    <message>
        <source>the last layer does not give {answers}.</source>
        <translation>a última camada não fornece {answers}.</translation>
    </message>
    <message>
        <source>the layer "{layer}" ({kind}) has no setting "{parameter}".</source>
        <translation>a camada "{layer}" ({kind}) não tem a configuração "{parameter}".</translation>
    </message>
    <message>
        <source>the layer "{layer}" ({kind}) has settings of that version</source>
        <translation>a camada "{layer}" ({kind}) tem configurações daquela versão</translation>
    </message>
    <message>
        <source>the layer "{layer}" computes hard_sigmoid, which is different in Keras 3</source>
        <translation>a camada "{layer}" calcula hard_sigmoid, que é diferente no Keras 3</translation>
    </message>
    <message>
        <source>the layer "{layer}" is a raw TensorFlow operation</source>
        <translation>a camada "{layer}" é uma operação pura do TensorFlow</translation>
    </message>
    <message>
        <source>the layer "{layer}" is a {kind} with groups={groups}, which Keras 3 does not have</source>
        <translation>a camada "{layer}" é uma {kind} com groups={groups}, que o Keras 3 não tem</translation>
    </message>
    <message>
        <source>the layer "{layer}" is a {kind}, which is not part of Keras {version}</source>
        <translation>a camada "{layer}" é uma {kind}, que não faz parte do Keras {version}</translation>
    </message>
    <message>
        <source>the layer "{layer}" is the TensorFlow operation {function}</source>
        <translation>a camada "{layer}" é a operação {function} do TensorFlow</translation>
    </message>
    <message>
        <source>the layer "{layer}" normalizes with renorm, which Keras 3 does not have</source>
        <translation>a camada "{layer}" normaliza com renorm, que o Keras 3 não tem</translation>
    </message>
    <message>
        <source>the learning-rate factor of {layers} is 0, but the running statistics of batch normalization still change.</source>
        <translation>o fator da taxa de aprendizado de {layers} é 0; mesmo assim, as estatísticas móveis da normalização em lote mudam.</translation>
    </message>
    <message>
        <source>the line has no path and label</source>
        <translation>a linha não tem um caminho e um rótulo</translation>
    </message>
    <message>
        <source>the line has no path, space and label</source>
        <translation>a linha não tem um caminho, um espaço e um rótulo</translation>
    </message>
    <message>
        <source>the line has {count} cells; there are {columns} columns</source>
        <translation>a linha tem {count} células; há {columns} colunas</translation>
    </message>
    <message>
        <source>the line is not valid UTF-8</source>
        <translation>a linha não é UTF-8 válido</translation>
    </message>
    <message>
        <source>the list contains this image twice</source>
        <translation>a lista contém esta imagem duas vezes</translation>
    </message>
    <message>
        <source>the list is damaged from here on: {reason}</source>
        <translation>a lista está danificada daqui em diante: {reason}</translation>
    </message>
    <message>
        <source>the loss decreases fastest there</source>
        <translation>a perda cai mais depressa ali</translation>
    </message>
    <message>
        <source>the maximum of {most} {split} images per class is below the minimum of {fewest}</source>
        <translation>o máximo de {most} imagens de {split} por classe é menor que o mínimo de {fewest}</translation>
    </message>
    <message>
        <source>the name of a class is required; received "{name}"</source>
        <translation>é necessário o nome de uma classe; recebido "{name}"</translation>
    </message>
    <message>
        <source>the names of its targets are empty or repeated</source>
        <translation>os nomes de seus alvos estão vazios ou repetidos</translation>
    </message>
    <message>
        <source>the network ends in "{layer}", which does not exist.</source>
        <translation>a rede termina em "{layer}", que não existe.</translation>
    </message>
    <message>
        <source>the network has no layer "{layer}".</source>
        <translation>a rede não tem a camada "{layer}".</translation>
    </message>
    <message>
        <source>the network varies, too, and others have no such layer.</source>
        <translation>a rede também varia, e outras não têm essa camada.</translation>
    </message>
    <message>
        <source>the numbers of labels and images differ</source>
        <translation>os números de rótulos e de imagens diferem</translation>
    </message>
    <message>
        <source>the pixels of a class are counted in its mask</source>
        <translation>os pixels de uma classe são contados na máscara</translation>
    </message>
    <message>
        <source>the points of a shape are not numbers</source>
        <translation>os pontos de uma forma não são números</translation>
    </message>
    <message>
        <source>the range of {field} must rise; received {low:g} to {high:g}</source>
        <translation>o intervalo de {field} deve ser crescente; recebido {low:g} a {high:g}</translation>
    </message>
    <message>
        <source>the rate is reduced on a plateau only with the constant schedule.</source>
        <translation>a taxa só é reduzida em um platô com o agendamento constante.</translation>
    </message>
    <message>
        <source>the row contains no image</source>
        <translation>a linha não contém imagem</translation>
    </message>
    <message>
        <source>the sampler {sampler} never ends by itself.</source>
        <translation>o amostrador {sampler} nunca termina por si só.</translation>
    </message>
    <message>
        <source>the score does not increase with the number of images</source>
        <translation>a métrica não aumenta com o número de imagens</translation>
    </message>
    <message>
        <source>the server answers {code} {reason}</source>
        <translation>o servidor responde {code} {reason}</translation>
    </message>
    <message>
        <source>the server cannot be reached ({reason})</source>
        <translation>o servidor não pode ser alcançado ({reason})</translation>
    </message>
    <message>
        <source>the server no longer answers</source>
        <translation>o servidor não responde mais</translation>
    </message>
    <message>
        <source>the server redirects to {address}</source>
        <translation>o servidor redireciona para {address}</translation>
    </message>
    <message>
        <source>the settings are not valid JSON: {reason}</source>
        <translation>as configurações não são JSON válido: {reason}</translation>
    </message>
    <message>
        <source>the settings must be a JSON object; received {text}</source>
        <translation>as configurações devem ser um objeto JSON; recebido {text}</translation>
    </message>
    <message>
        <source>the step of {field} is longer than its range</source>
        <translation>o passo de {field} é maior que seu intervalo</translation>
    </message>
    <message>
        <source>the table contains only the path of this image, not the image</source>
        <translation>a tabela contém só o caminho desta imagem, não a imagem</translation>
    </message>
    <message>
        <source>the table is damaged or truncated</source>
        <translation>a tabela está danificada ou truncada</translation>
    </message>
    <message>
        <source>the value {value} belongs to no class</source>
        <translation>o valor {value} não pertence a nenhuma classe</translation>
    </message>
    <message>
        <source>the weights in {file} belong to {other}, not to {network}.</source>
        <translation>os pesos em {file} pertencem a {other}, não a {network}.</translation>
    </message>
    <message>
        <source>the weights in {file} fill {fraction:.0%} of {network}; at least {least:.0%} are needed.</source>
        <translation>os pesos em {file} preenchem {fraction:.0%} de {network}; são necessários pelo menos {least:.0%}.</translation>
    </message>
    <message>
        <source>the weights of that name have another shape</source>
        <translation>os pesos com esse nome têm outro formato</translation>
    </message>
    <message>
        <source>there are fewer than {count} images</source>
        <translation>há menos de {count} imagens</translation>
    </message>
    <message>
        <source>there are no ImageNet weights for {network}.</source>
        <translation>não há pesos da ImageNet para {network}.</translation>
    </message>
    <message>
        <source>there are no classes in regression</source>
        <translation>não há classes na regressão</translation>
    </message>
    <message>
        <source>there are no training images.</source>
        <translation>não há imagens de treino.</translation>
    </message>
    <message>
        <source>there are no validation images, so improvement cannot be measured.</source>
        <translation>não há imagens de validação, por isso a melhora não pode ser medida.</translation>
    </message>
    <message>
        <source>there are no validation images, so overfitting goes unnoticed and the last epoch is kept.</source>
        <translation>não há imagens de validação, por isso o sobreajuste não é notado e a última época é guardada.</translation>
    </message>
    <message>
        <source>there are no weights with this name or path</source>
        <translation>não há pesos com esse nome ou caminho</translation>
    </message>
    <message>
        <source>there are too few training images for a curve</source>
        <translation>há imagens de treino de menos para uma curva</translation>
    </message>
    <message>
        <source>there are too many images and classes</source>
        <translation>há imagens e classes demais</translation>
    </message>
    <message>
        <source>there are too many images and targets</source>
        <translation>há imagens e alvos demais</translation>
    </message>
    <message>
        <source>there are {number:,} training images</source>
        <translation>há {number:,} imagens de treino</translation>
    </message>
    <message>
        <source>there is no NVIDIA GPU</source>
        <translation>não há uma GPU NVIDIA</translation>
    </message>
    <message>
        <source>there is no connection to {host}</source>
        <translation>não há conexão com {host}</translation>
    </message>
    <message>
        <source>there is no dataset "{dataset}".</source>
        <translation>não existe o conjunto de dados "{dataset}".</translation>
    </message>
    <message>
        <source>there is no file {file}.</source>
        <translation>não há um arquivo {file}.</translation>
    </message>
    <message>
        <source>there is no layer called "{kind}".</source>
        <translation>não há uma camada chamada "{kind}".</translation>
    </message>
    <message>
        <source>there is no metric {name}; available: {names}</source>
        <translation>não há métrica {name}; disponíveis: {names}</translation>
    </message>
    <message>
        <source>there is no objective "{name}".</source>
        <translation>não há objetivo "{name}".</translation>
    </message>
    <message>
        <source>there is no separate source</source>
        <translation>não há fonte separada</translation>
    </message>
    <message>
        <source>there is no such field that can vary.</source>
        <translation>não há um campo assim que possa variar.</translation>
    </message>
    <message>
        <source>there is no such setting.</source>
        <translation>não há uma configuração assim.</translation>
    </message>
    <message>
        <source>there is no task {name}; available: {names}</source>
        <translation>não há tarefa {name}; disponíveis: {names}</translation>
    </message>
    <message>
        <source>there is nothing to release</source>
        <translation>não há nada a liberar</translation>
    </message>
    <message>
        <source>there is only one validation, at the end.</source>
        <translation>há uma só validação, no fim.</translation>
    </message>
    <message>
        <source>this machine has no known GPUs; received {devices}.</source>
        <translation>esta máquina não tem GPUs conhecidas; recebido {devices}.</translation>
    </message>
    <message>
        <source>this machine has no {device}; its cells will fail.</source>
        <translation>esta máquina não tem {device}; as células dele vão falhar.</translation>
    </message>
    <message numerus="yes">
        <source>this machine has {count} known GPUs; received {devices}.</source>
        <translation><numerusform>esta máquina tem {count} GPU conhecida; recebido {devices}.</numerusform><numerusform>esta máquina tem {count} GPUs conhecidas; recebido {devices}.</numerusform></translation>
    </message>
    <message>
        <source>tiles can overlap by at most half of their width; received {overlap} of {size} px</source>
        <translation>os recortes podem se sobrepor em no máximo metade da largura; foi recebido {overlap} de {size} px</translation>
    </message>
    <message>
        <source>tiles must be at least {limit} px wide; received {size}</source>
        <translation>os recortes devem ter pelo menos {limit} px de largura; foi recebido {size}</translation>
    </message>
    <message>
        <source>to train on</source>
        <translation>com que treinar</translation>
    </message>
    <message>
        <source>too large for memory</source>
        <translation>grande demais para a memória</translation>
    </message>
    <message>
        <source>torch</source>
        <translation>torch</translation>
    </message>
    <message>
        <source>train.py, which repeats the training without Studio, with images and weights.</source>
        <translation>train.py, que repete o treino sem o Studio, com imagens e pesos.</translation>
    </message>
    <message>
        <source>training</source>
        <translation>treino</translation>
    </message>
    <message>
        <source>training has {batches} batches, so the weights would never be updated; received {steps}.</source>
        <translation>o treino tem {batches} lotes, por isso os pesos nunca seriam atualizados; recebido {steps}.</translation>
    </message>
    <message>
        <source>training preset</source>
        <translation>predefinição de treino</translation>
    </message>
    <message>
        <source>unreliable: the machine was busy</source>
        <translation>não confiável: a máquina estava ocupada</translation>
    </message>
    <message>
        <source>unsupported image format: "{suffix}"</source>
        <translation>formato de imagem não suportado: "{suffix}"</translation>
    </message>
    <message>
        <source>use either a run or a model file</source>
        <translation>informe um treino ou um arquivo de modelo, não ambos</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>validação</translation>
    </message>
    <message>
        <source>validation and test use {percent:g} % together, which leaves nothing to train on</source>
        <translation>validação e teste juntos usam {percent:g} %, o que não deixa nada para treinar</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>perda de validação</translation>
    </message>
    <message>
        <source>values of type {dtype} are not pixels</source>
        <translation>valores do tipo {dtype} não são pixels</translation>
    </message>
    <message>
        <source>waits because the queue is paused</source>
        <translation>espera porque a fila está pausada</translation>
    </message>
    <message>
        <source>was ended by Ctrl+C, or its console was closed</source>
        <translation>foi encerrado por Ctrl+C, ou seu console foi fechado</translation>
    </message>
    <message>
        <source>was ended when the computer shut down or its user signed out</source>
        <translation>foi encerrado quando o computador desligou ou o usuário saiu</translation>
    </message>
    <message>
        <source>was queued on another computer and waits until it is released</source>
        <translation>foi colocado na fila em outro computador e espera até ser liberado</translation>
    </message>
    <message>
        <source>whole numbers separated by commas are needed; received "{text}"</source>
        <translation>são necessários números inteiros separados por vírgulas; recebido "{text}"</translation>
    </message>
    <message>
        <source>with Keras 3.15 its loss does not fall on TensorFlow</source>
        <translation>com o Keras 3.15, a perda dele não cai no TensorFlow</translation>
    </message>
    <message>
        <source>with PyTorch, Keras computes on one device and cannot share batches among several; received {device}.</source>
        <translation>com o PyTorch, o Keras calcula em um só dispositivo e não pode dividir lotes entre vários; recebido {device}.</translation>
    </message>
    <message>
        <source>with {folds} folds the fold must be 0 to {last}; received {fold}</source>
        <translation>com {folds} partes (folds), a parte deve ir de 0 a {last}; recebido {fold}</translation>
    </message>
    <message>
        <source>without {split} images: {classes}</source>
        <translation>sem imagens de {split}: {classes}</translation>
    </message>
    <message>
        <source>{address} cannot be downloaded: {reason}.</source>
        <translation>{address} não pode ser baixado: {reason}.</translation>
    </message>
    <message>
        <source>{address} cannot be read: {reason}.</source>
        <translation>{address} não pode ser lido: {reason}.</translation>
    </message>
    <message>
        <source>{address} contains more than {pages:,} pages or {images:,} images.</source>
        <translation>{address} contém mais de {pages:,} páginas ou {images:,} imagens.</translation>
    </message>
    <message>
        <source>{address} does not answer; the cached download is used.</source>
        <translation>{address} não responde; é usado o download em cache.</translation>
    </message>
    <message>
        <source>{address} is not a web address.</source>
        <translation>{address} não é um endereço da web.</translation>
    </message>
    <message>
        <source>{advice} The last checkpoint is kept: resume the run.</source>
        <translation>{advice} O último checkpoint é mantido: retome o treino.</translation>
    </message>
    <message>
        <source>{archive} unpacks to more than {limit:,.0f} GB or contains too many files; it may be a zip bomb.</source>
        <translation>{archive} descompacta para mais de {limit:,.0f} GB ou contém arquivos demais; pode ser uma bomba zip.</translation>
    </message>
    <message>
        <source>{backbone} has no layer or block "{layer}" to freeze.</source>
        <translation>{backbone} não tem camada ou bloco "{layer}" para congelar.</translation>
    </message>
    <message>
        <source>{backend} is installed: choose it (--backend {name}).</source>
        <translation>{backend} está instalado: escolha-o (--backend {name}).</translation>
    </message>
    <message>
        <source>{backend} is not installed.</source>
        <translation>{backend} não está instalado.</translation>
    </message>
    <message>
        <source>{bucket} cannot be listed: {reason}.</source>
        <translation>{bucket} não pode ser listado: {reason}.</translation>
    </message>
    <message>
        <source>{cores} and {gpus}</source>
        <translation>{cores} e {gpus}</translation>
    </message>
    <message>
        <source>{cores} cores, {threads} threads</source>
        <translation>{cores} núcleos, {threads} threads</translation>
    </message>
    <message>
        <source>{count:,} bytes are missing</source>
        <translation>faltam {count:,} bytes</translation>
    </message>
    <message numerus="yes">
        <source>{count} GPUs</source>
        <translation><numerusform>{count} GPU</numerusform><numerusform>{count} GPUs</numerusform></translation>
    </message>
    <message>
        <source>{count} cells failed: resume it with --retry-failed.</source>
        <translation>{count} células falharam: retome com --retry-failed.</translation>
    </message>
    <message numerus="yes">
        <source>{count} cores</source>
        <translation><numerusform>{count} núcleo</numerusform><numerusform>{count} núcleos</numerusform></translation>
    </message>
    <message>
        <source>{count} devices share each batch, but a batch of {batch_size} has too few images.</source>
        <translation>{count} dispositivos dividem cada lote, mas um lote de {batch_size} tem imagens de menos.</translation>
    </message>
    <message>
        <source>{count} labels do not match probabilities of shape {shape}.</source>
        <translation>{count} rótulos não correspondem a probabilidades do formato {shape}.</translation>
    </message>
    <message>
        <source>{count} labels of {classes} classes need a table of {count}x{classes} probabilities; received {shape}.</source>
        <translation>{count} rótulos de {classes} classes precisam de uma tabela de {count}x{classes} probabilidades; recebido {shape}.</translation>
    </message>
    <message>
        <source>{count} layers have the id "{layer}".</source>
        <translation>{count} camadas têm o id "{layer}".</translation>
    </message>
    <message>
        <source>{count} layers were requested at once; the maximum is {limit}.</source>
        <translation>{count} camadas foram pedidas de uma vez; o máximo é {limit}.</translation>
    </message>
    <message>
        <source>{dataset} cannot be downloaded: {reason}.</source>
        <translation>{dataset} não pode ser baixado: {reason}.</translation>
    </message>
    <message>
        <source>{device}, {backend}, {precision}, batches of {batch_size}</source>
        <translation>{device}, {backend}, {precision}, lotes de {batch_size}</translation>
    </message>
    <message>
        <source>{entry_point} is not a task named {task}.</source>
        <translation>{entry_point} não é uma tarefa chamada {task}.</translation>
    </message>
    <message>
        <source>{field} does not vary in this sweep: all trials so far have the same value.</source>
        <translation>{field} não varia nesta varredura: todas as tentativas até agora têm o mesmo valor.</translation>
    </message>
    <message>
        <source>{field} needs either values or both ends of a range</source>
        <translation>{field} precisa de valores ou dos dois extremos de um intervalo</translation>
    </message>
    <message>
        <source>{field} varies over a list of values.</source>
        <translation>{field} varia em uma lista de valores.</translation>
    </message>
    <message>
        <source>{field} varies over a range.</source>
        <translation>{field} varia em um intervalo.</translation>
    </message>
    <message>
        <source>{field}: a window of {window} pixels does not fit into an image of {size}.</source>
        <translation>{field}: uma janela de {window} pixels não cabe em uma imagem de {size}.</translation>
    </message>
    <message>
        <source>{file} annotates the same image</source>
        <translation>{file} anota a mesma imagem</translation>
    </message>
    <message>
        <source>{file} cannot be opened: {reason}.</source>
        <translation>Não é possível abrir {file}: {reason}.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason}.</source>
        <translation>{file} não pode ser lido: {reason}.</translation>
    </message>
    <message>
        <source>{file} cannot be written: {reason}.</source>
        <translation>{file} não pode ser gravado: {reason}.</translation>
    </message>
    <message>
        <source>{file} contains no images with labels; its arrays are {arrays}.</source>
        <translation>{file} não contém imagens com rótulos; os arrays são {arrays}.</translation>
    </message>
    <message>
        <source>{file} contains the weights of an unknown network.</source>
        <translation>{file} contém os pesos de uma rede desconhecida.</translation>
    </message>
    <message>
        <source>{file} contains {dtype} of shape {shape}; the dataset has {expected_dtype} of shape {expected_shape}.</source>
        <translation>{file} contém {dtype} de formato {shape}; o conjunto de dados tem {expected_dtype} de formato {expected_shape}.</translation>
    </message>
    <message>
        <source>{file} does not describe a network: {reason}</source>
        <translation>{file} não descreve uma rede: {reason}</translation>
    </message>
    <message>
        <source>{file} has a compression that NumPy does not use</source>
        <translation>{file} tem uma compactação que o NumPy não usa</translation>
    </message>
    <message>
        <source>{file} is damaged: the workspace's format is missing.</source>
        <translation>{file} está danificado: falta o formato do espaço de trabalho.</translation>
    </message>
    <message>
        <source>{file} is not a packed run: {reason}.</source>
        <translation>{file} não é um treino empacotado: {reason}.</translation>
    </message>
    <message>
        <source>{file} is not a table of a benchmark: its columns are {columns}.</source>
        <translation>{file} não é uma tabela de um benchmark: as colunas são {columns}.</translation>
    </message>
    <message>
        <source>{file} is not a text file.</source>
        <translation>{file} não é um arquivo de texto.</translation>
    </message>
    <message>
        <source>{file} is not an export of Studio: {labels} and {description} are missing.</source>
        <translation>{file} não é uma exportação do Studio: faltam {labels} e {description}.</translation>
    </message>
    <message>
        <source>{file} is open in another program.</source>
        <translation>{file} está aberto em outro programa.</translation>
    </message>
    <message>
        <source>{file} is too large for a list.</source>
        <translation>{file} é grande demais para uma lista.</translation>
    </message>
    <message>
        <source>{file} names the class "{class_name}" more than once.</source>
        <translation>{file} indica a classe "{class_name}" mais de uma vez.</translation>
    </message>
    <message>
        <source>{file} names the format {version}, which is not a version.</source>
        <translation>{file} indica o formato {version}, que não é uma versão.</translation>
    </message>
    <message>
        <source>{file} no longer exists</source>
        <translation>{file} não existe mais</translation>
    </message>
    <message>
        <source>{file} unpacks to far more than its size</source>
        <translation>{file} descompacta para muito mais que o seu tamanho</translation>
    </message>
    <message>
        <source>{file} was written by Keras {version}, and Keras {installed} cannot load it: {reason}.</source>
        <translation>{file} foi gravado pelo Keras {version}, e o Keras {installed} não consegue carregá-lo: {reason}.</translation>
    </message>
    <message>
        <source>{file} was written by a newer Studio ({version}).</source>
        <translation>{file} foi gravado por um Studio mais recente ({version}).</translation>
    </message>
    <message>
        <source>{first} ({first_split} images) and {second} ({second_split} images) have no images in common.</source>
        <translation>{first} (imagens de {first_split}) e {second} (imagens de {second_split}) não têm imagens em comum.</translation>
    </message>
    <message>
        <source>{first} was evaluated on {first_dataset}, {second} on {second_dataset}.</source>
        <translation>{first} foi avaliado em {first_dataset}, {second} em {second_dataset}.</translation>
    </message>
    <message>
        <source>{fit}, before it converged</source>
        <translation>{fit}, antes de convergir</translation>
    </message>
    <message>
        <source>{fit}. Epochs, batch size, learning rate and optimizer had no effect.</source>
        <translation>{fit}. Épocas, tamanho do lote, taxa de aprendizado e otimizador não tiveram efeito.</translation>
    </message>
    <message>
        <source>{folder} (synced by {service})</source>
        <translation>{folder} (sincronizada por {service})</translation>
    </message>
    <message>
        <source>{folder} already exists and contains {stored} of the {count} {what}.</source>
        <translation>{folder} já existe e contém {stored} dos {count} {what}.</translation>
    </message>
    <message>
        <source>{folder} already holds a dataset.</source>
        <translation>{folder} já contém um conjunto de dados.</translation>
    </message>
    <message>
        <source>{folder} cannot be written to: {reason}</source>
        <translation>Não se pode gravar em {folder}: {reason}</translation>
    </message>
    <message>
        <source>{folder} contains images of only one class: "{class_name}".</source>
        <translation>{folder} contém imagens de uma só classe: "{class_name}".</translation>
    </message>
    <message>
        <source>{folder} contains no images; the first skipped file: {file} ({reason}).</source>
        <translation>{folder} não contém imagens; o primeiro arquivo ignorado: {file} ({reason}).</translation>
    </message>
    <message>
        <source>{folder} contains training images of only one class: "{class_name}".</source>
        <translation>{folder} contém imagens de treino de uma só classe: "{class_name}".</translation>
    </message>
    <message>
        <source>{folder} contains {count} images, but no class folders.</source>
        <translation>{folder} contém {count} imagens, mas nenhuma pasta de classe.</translation>
    </message>
    <message>
        <source>{folder} is an empty folder.</source>
        <translation>{folder} é uma pasta vazia.</translation>
    </message>
    <message>
        <source>{folder} is not a Studio workspace but contains "{name}".</source>
        <translation>{folder} não é um espaço de trabalho do Studio, mas contém "{name}".</translation>
    </message>
    <message>
        <source>{free:.1f} GB free</source>
        <translation>{free:.1f} GB livres</translation>
    </message>
    <message>
        <source>{host} answered {code} ({reason})</source>
        <translation>{host} respondeu {code} ({reason})</translation>
    </message>
    <message>
        <source>{host} is in the local network; internal addresses are not allowed</source>
        <translation>{host} está na rede local; endereços internos não são permitidos</translation>
    </message>
    <message>
        <source>{images}: {network} with pretrained weights and a low learning rate for all layers.</source>
        <translation>{images}: {network} com pesos pré-treinados e uma taxa de aprendizado baixa para todas as camadas.</translation>
    </message>
    <message>
        <source>{images}: {network} with pretrained weights stays frozen, and only the head is trained.</source>
        <translation>{images}: {network} com pesos pré-treinados fica congelada, e só a cabeça é treinada.</translation>
    </message>
    <message>
        <source>{images}: {network} with pretrained weights; the upper layers and the head are trained.</source>
        <translation>{images}: {network} com pesos pré-treinados; as camadas superiores e a cabeça são treinadas.</translation>
    </message>
    <message>
        <source>{kind} is not part of Keras, and its code is not in the file</source>
        <translation>{kind} não faz parte do Keras, e seu código não está no arquivo</translation>
    </message>
    <message>
        <source>{layer} expects {expected}; it has {count}.</source>
        <translation>{layer} espera {expected}; tem {count}.</translation>
    </message>
    <message>
        <source>{layer} has {weights} weights on {inputs:,} values, {share:.0%} of the network, and no dropout near it: it can overfit.</source>
        <translation>{layer} tem {weights} pesos sobre {inputs:,} valores, {share:.0%} da rede, e nenhum dropout por perto: pode sobreajustar.</translation>
    </message>
    <message>
        <source>{layer} holds {count} of {total} weights ({share:.0%}), for {height}x{width}x{channels} inputs. Global average pooling instead of {flatten} leaves {fewer}.</source>
        <translation>{layer} contém {count} de {total} pesos ({share:.0%}), para {height}x{width}x{channels} entradas. Global average pooling em vez de {flatten} deixa {fewer}.</translation>
    </message>
    <message>
        <source>{learning_rate:g} is the highest usual rate for {optimizer}; the loss still decreases at {found:g}.</source>
        <translation>{learning_rate:g} é a maior taxa usual para {optimizer}; a perda ainda cai em {found:g}.</translation>
    </message>
    <message>
        <source>{learning_rate:g} is very high for {optimizer}.</source>
        <translation>{learning_rate:g} é muito alto para {optimizer}.</translation>
    </message>
    <message>
        <source>{learning_rate:g} is very low for {optimizer}.</source>
        <translation>{learning_rate:g} é muito baixo para {optimizer}.</translation>
    </message>
    <message>
        <source>{learning_rate:g}, because {reason}.</source>
        <translation>{learning_rate:g}, porque {reason}.</translation>
    </message>
    <message>
        <source>{logbook} is unavailable ({kind}: {reason}); training continues.</source>
        <translation>{logbook} não está disponível ({kind}: {reason}); o treino continua.</translation>
    </message>
    <message>
        <source>{megabytes:,.0f} MB</source>
        <translation>{megabytes:,.0f} MB</translation>
    </message>
    <message>
        <source>{metric:lower} near {value}</source>
        <translation>{metric:lower} perto de {value}</translation>
    </message>
    <message>
        <source>{metric} did not improve {count} times in a row: the learning rate is reduced to {learning_rate:g}.</source>
        <translation>{metric} não melhorou {count} vezes seguidas: a taxa de aprendizado é reduzida para {learning_rate:g}.</translation>
    </message>
    <message>
        <source>{metric} is not meaningful with {count} classes; it needs {fewest}.</source>
        <translation>{metric} não é significativa com {count} classes; precisa de {fewest}.</translation>
    </message>
    <message>
        <source>{metric} is not measured for {task:lower}.</source>
        <translation>{metric} não é medida para {task:lower}.</translation>
    </message>
    <message>
        <source>{minutes:g} minutes</source>
        <translation>{minutes:g} minutos</translation>
    </message>
    <message>
        <source>{names} and {number} more</source>
        <translation>{names} e mais {number}</translation>
    </message>
    <message>
        <source>{name} contains only weights, not the layers they belong to.</source>
        <translation>{name} contém só pesos, e não as camadas a que pertencem.</translation>
    </message>
    <message>
        <source>{name} is a LiteRT (TFLite) model, which Studio can write but not open.</source>
        <translation>{name} é um modelo LiteRT (TFLite), que o Studio pode gravar, mas não abrir.</translation>
    </message>
    <message>
        <source>{name} is a PyTorch file, which can run code when opened; Studio does not open it.</source>
        <translation>{name} é um arquivo do PyTorch, que pode executar código ao ser aberto; o Studio não o abre.</translation>
    </message>
    <message>
        <source>{name} is a TensorFlow SavedModel, which does not describe its layers.</source>
        <translation>{name} é um SavedModel do TensorFlow, que não descreve suas camadas.</translation>
    </message>
    <message>
        <source>{name} is a packed export.</source>
        <translation>{name} é uma exportação compactada.</translation>
    </message>
    <message>
        <source>{name} is a safetensors file: weights without names of Keras layers.</source>
        <translation>{name} é um arquivo safetensors: pesos sem nomes de camadas do Keras.</translation>
    </message>
    <message>
        <source>{name} is an ONNX model, which Studio can write but not open.</source>
        <translation>{name} é um modelo ONNX, que o Studio pode gravar, mas não abrir.</translation>
    </message>
    <message>
        <source>{name} is an OpenVINO model, which Studio can write but not open.</source>
        <translation>{name} é um modelo OpenVINO, que o Studio pode gravar, mas não abrir.</translation>
    </message>
    <message>
        <source>{network} expects images with {expected} channels; received {channels}.</source>
        <translation>{network} espera imagens com {expected} canais; recebido {channels}.</translation>
    </message>
    <message>
        <source>{network} from scratch</source>
        <translation>{network} do zero</translation>
    </message>
    <message>
        <source>{network} has no options; received "{options}".</source>
        <translation>{network} não tem opções; recebido "{options}".</translation>
    </message>
    <message>
        <source>{network} needs images of at least {least_width}x{least_height} pixels (width x height); received {width}x{height}.</source>
        <translation>{network} precisa de imagens de pelo menos {least_width}x{least_height} pixels (largura x altura); recebido {width}x{height}.</translation>
    </message>
    <message>
        <source>{network} predicts masks, but the dataset has none.</source>
        <translation>{network} prevê máscaras, mas o conjunto de dados não tem nenhuma.</translation>
    </message>
    <message>
        <source>{network} predicts masks; {task:lower} needs one answer for each image.</source>
        <translation>{network} prevê máscaras; {task:lower} precisa de uma resposta por imagem.</translation>
    </message>
    <message>
        <source>{network} predicts one answer for each image, but the dataset has masks.</source>
        <translation>{network} prevê uma resposta por imagem, mas o conjunto de dados tem máscaras.</translation>
    </message>
    <message>
        <source>{network} predicts one answer for each image; {task:lower} needs masks.</source>
        <translation>{network} prevê uma resposta por imagem; {task:lower} precisa de máscaras.</translation>
    </message>
    <message>
        <source>{network}: {device} with {backend}, {precision} and batches of {batch_size}: {speed:,.4g} images per second, measured.</source>
        <translation>{network}: {device} com {backend}, {precision} e lotes de {batch_size}: {speed:,.4g} imagens por segundo, medido.</translation>
    </message>
    <message>
        <source>{number:,.0f} training images</source>
        <translation>{number:,.0f} imagens de treino</translation>
    </message>
    <message>
        <source>{number:,.0f} training images per {output}</source>
        <translation>{number:,.0f} imagens de treino por {output}</translation>
    </message>
    <message>
        <source>{number:,.1f} million</source>
        <translation>{number:,.1f} milhões</translation>
    </message>
    <message>
        <source>{number:,.1f} thousand</source>
        <translation>{number:,.1f} mil</translation>
    </message>
    <message>
        <source>{number:.1f} million weights</source>
        <translation>{number:.1f} milhões de pesos</translation>
    </message>
    <message>
        <source>{number} GPUs: {names}</source>
        <translation>{number} GPUs: {names}</translation>
    </message>
    <message>
        <source>{number} convolutions of 3x3 have the receptive field of one of {size}x{size} and more activations: {fewer} weights instead of {weights} in {layer} ({new_factor}C² against {old_factor}C² for equal channels).</source>
        <translation>{number} convoluções de 3x3 têm o campo receptivo de uma de {size}x{size} e mais ativações: {fewer} pesos em vez de {weights} em {layer} ({new_factor}C² contra {old_factor}C² para canais iguais).</translation>
    </message>
    <message>
        <source>{number} more have the same problem.</source>
        <translation>Mais {number} têm o mesmo problema.</translation>
    </message>
    <message>
        <source>{objectives} cannot be measured: the dataset has no validation images.</source>
        <translation>{objectives} não pode ser medido: o conjunto de dados não tem imagens de validação.</translation>
    </message>
    <message>
        <source>{objectives} is not measured for {task:lower}.</source>
        <translation>{objectives} não é medida para {task:lower}.</translation>
    </message>
    <message>
        <source>{objectives} was not measured.</source>
        <translation>{objectives} não foi medido.</translation>
    </message>
    <message>
        <source>{objective} is known only at the end of a run.</source>
        <translation>{objective} só é conhecido no fim de um treino.</translation>
    </message>
    <message>
        <source>{observation} and is {now} after {epochs} epochs; at the start it was {start}.</source>
        <translation>{observation} e está em {now} após {epochs} épocas; no início era {start}.</translation>
    </message>
    <message>
        <source>{operation} has no effect on gray images.</source>
        <translation>{operation} não tem efeito em imagens em cinza.</translation>
    </message>
    <message>
        <source>{optimizer} does not support learning rates per layer.</source>
        <translation>{optimizer} não suporta taxas de aprendizado por camada.</translation>
    </message>
    <message>
        <source>{optimizer} does not work here: {reason}.</source>
        <translation>{optimizer} não funciona aqui: {reason}.</translation>
    </message>
    <message>
        <source>{other} gets {reached:.1%} of the validation images right, {own} {accuracy:.1%}: {other} is recommended (head_solver={name}).</source>
        <translation>{other} acerta {reached:.1%} das imagens de validação, {own} {accuracy:.1%}: recomenda-se {other} (head_solver={name}).</translation>
    </message>
    <message>
        <source>{own} is the better solver here: {other} gets {reached:.1%} of the validation images right, {own} {accuracy:.1%}.</source>
        <translation>{own} é o melhor método aqui: {other} acerta {reached:.1%} das imagens de validação, {own} {accuracy:.1%}.</translation>
    </message>
    <message numerus="yes">
        <source>{packages} are not installed</source>
        <translation><numerusform>{packages} não está instalado</numerusform><numerusform>{packages} não estão instalados</numerusform></translation>
    </message>
    <message>
        <source>{path} cannot be found: there is no home folder {folder}.</source>
        <translation>{path} não foi encontrado: não existe a pasta pessoal {folder}.</translation>
    </message>
    <message>
        <source>{path} cannot be imported: unsupported file type.</source>
        <translation>{path} não pode ser importado: tipo de arquivo não suportado.</translation>
    </message>
    <message>
        <source>{path} cannot be read: {reason}.</source>
        <translation>{path} não pode ser lido: {reason}.</translation>
    </message>
    <message>
        <source>{path} disappeared during the import.</source>
        <translation>{path} desapareceu durante a importação.</translation>
    </message>
    <message>
        <source>{path} does not exist.</source>
        <translation>{path} não existe.</translation>
    </message>
    <message>
        <source>{path} is not a folder.</source>
        <translation>{path} não é uma pasta.</translation>
    </message>
    <message>
        <source>{path} is open in another program</source>
        <translation>{path} está aberto em outro programa</translation>
    </message>
    <message>
        <source>{percent:.1f} % on ImageNet</source>
        <translation>{percent:.1f} % na ImageNet</translation>
    </message>
    <message>
        <source>{place} died, or Ray ended the work on it.</source>
        <translation>{place} morreu, ou o Ray encerrou o trabalho nele.</translation>
    </message>
    <message>
        <source>{place} says: {reason}</source>
        <translation>{place} informa: {reason}</translation>
    </message>
    <message>
        <source>{problem}; received {received}.</source>
        <translation>{problem}; recebido {received}.</translation>
    </message>
    <message>
        <source>{reason} So they are recomputed in every epoch.</source>
        <translation>{reason} Por isso, são recalculadas em cada época.</translation>
    </message>
    <message>
        <source>{reason} The {kind} restarts automatically ({count} of {limit} times).</source>
        <translation>{reason} O item ({kind}) reinicia automaticamente ({count} de {limit} vezes).</translation>
    </message>
    <message>
        <source>{reason}; the rest is missing</source>
        <translation>{reason}; o resto está faltando</translation>
    </message>
    <message>
        <source>{reason}; what comes after is missing</source>
        <translation>{reason}; o que vem depois está faltando</translation>
    </message>
    <message>
        <source>{service} can lock files that Studio writes, or restore old ones.</source>
        <translation>O {service} pode bloquear arquivos que o Studio grava ou restaurar versões antigas.</translation>
    </message>
    <message>
        <source>{setting} has no effect.</source>
        <translation>{setting} não tem efeito.</translation>
    </message>
    <message>
        <source>{size:,} images ({reason}; {method})</source>
        <translation>{size:,} imagens ({reason}; {method})</translation>
    </message>
    <message>
        <source>{size}x1 followed by 1x{size} has the receptive field of {size}x{size}: {fewer} weights instead of {count} in {layer}.</source>
        <translation>{size}x1 seguida de 1x{size} tem o campo receptivo de {size}x{size}: {fewer} pesos em vez de {count} em {layer}.</translation>
    </message>
    <message>
        <source>{solver} fits the head directly, so epochs, batches and learning rate have no effect and there are no steps to time.</source>
        <translation>{solver} ajusta a cabeça diretamente; épocas, lotes e taxa de aprendizado não têm efeito, e não há passos a cronometrar.</translation>
    </message>
    <message>
        <source>{solver} on {features:,} standardized features of {images:,} images, with C = {c:g}</source>
        <translation>{solver} sobre {features:,} características padronizadas de {images:,} imagens, com C = {c:g}</translation>
    </message>
    <message>
        <source>{solver} trains only the head, but other layers are not frozen.</source>
        <translation>{solver} treina só a cabeça, mas outras camadas não estão congeladas.</translation>
    </message>
    <message>
        <source>{solver} uses every image once, so augmentation is not possible.</source>
        <translation>{solver} usa cada imagem uma vez; por isso o aumento de dados não é possível.</translation>
    </message>
    <message>
        <source>{source} contains images of only one class: "{class_name}".</source>
        <translation>{source} contém imagens de uma só classe: "{class_name}".</translation>
    </message>
    <message>
        <source>{source} contains no usable images.</source>
        <translation>{source} não contém imagens utilizáveis.</translation>
    </message>
    <message>
        <source>{source} contains no usable images; the first problem: line {line}: {file}: {reason}.</source>
        <translation>{source} não contém imagens utilizáveis; o primeiro problema: linha {line}: {file}: {reason}.</translation>
    </message>
    <message>
        <source>{source} contains no usable images; the first problem: {file}: {reason}.</source>
        <translation>{source} não contém imagens utilizáveis; o primeiro problema: {file}: {reason}.</translation>
    </message>
    <message>
        <source>{source} contains {count} images, but no class folders.</source>
        <translation>{source} contém {count} imagens, mas nenhuma pasta de classe.</translation>
    </message>
    <message>
        <source>{source} does not need one</source>
        <translation>{source} não precisa dela</translation>
    </message>
    <message>
        <source>{source} has "{column}" in {unit}, but the first source has {first_unit}.</source>
        <translation>{source} tem "{column}" em {unit}, mas a primeira fonte tem {first_unit}.</translation>
    </message>
    <message>
        <source>{source} has no column "{column}"; it has {columns}.</source>
        <translation>{source} não tem a coluna "{column}"; tem {columns}.</translation>
    </message>
    <message>
        <source>{source} has no images left to train on.</source>
        <translation>{source} não tem mais imagens para treinar.</translation>
    </message>
    <message>
        <source>{source} has no images left to train on; the first reason: {reason}.</source>
        <translation>{source} não tem mais imagens para treinar; o primeiro motivo: {reason}.</translation>
    </message>
    <message>
        <source>{source} is given twice, so each of its images would be imported twice.</source>
        <translation>{source} foi informado duas vezes; cada imagem seria importada duas vezes.</translation>
    </message>
    <message>
        <source>{system} {machine}, {cores} CPU cores</source>
        <translation>{system} {machine}, {cores} núcleos de CPU</translation>
    </message>
    <message>
        <source>{task} needs a table with the targets of each image; {source} is not one.</source>
        <translation>{task} precisa de uma tabela com os alvos de cada imagem; {source} não é uma.</translation>
    </message>
    <message>
        <source>{task} needs at least {number} {outputs}; received {received}.</source>
        <translation>{task} precisa de pelo menos {number} {outputs}; recebido: {received}.</translation>
    </message>
    <message>
        <source>{text} contains a comma or an unprintable character.</source>
        <translation>{text} contém uma vírgula ou um caractere não imprimível.</translation>
    </message>
    <message>
        <source>{text} is not a path: it contains a zero byte.</source>
        <translation>{text} não é um caminho: contém um byte zero.</translation>
    </message>
    <message>
        <source>{total:.1f} GB, {available:.1f} GB free</source>
        <translation>{total:.1f} GB, {available:.1f} GB livres</translation>
    </message>
    <message>
        <source>{version}, but Studio requires {required}</source>
        <translation>{version}, mas o Studio precisa de {required}</translation>
    </message>
    <message>
        <source>{what} needs {needed:,.0f} MB, and {free:,.0f} MB are free.</source>
        <translation>{what} precisa de {needed:,.0f} MB, e {free:,.0f} MB estão livres.</translation>
    </message>
    <message>
        <source>“{text}” is not a web address.</source>
        <translation>“{text}” não é um endereço da web.</translation>
    </message>
</context>
<context>
    <name>evaluation</name>
    <message>
        <source>Accuracy</source>
        <translation>Acurácia</translation>
    </message>
    <message>
        <source>Average precision, macro</source>
        <translation>Precisão média, macro</translation>
    </message>
    <message>
        <source>Avg. precision</source>
        <translation>Precisão méd.</translation>
    </message>
    <message>
        <source>Balanced accuracy</source>
        <translation>Acurácia balanceada</translation>
    </message>
    <message>
        <source>Blur</source>
        <translation>Desfoque</translation>
    </message>
    <message>
        <source>Brightness</source>
        <translation>Brilho</translation>
    </message>
    <message>
        <source>Calibration error</source>
        <translation>Erro de calibração</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiança</translation>
    </message>
    <message>
        <source>Confusion</source>
        <translation>Confusão</translation>
    </message>
    <message>
        <source>Covered part</source>
        <translation>Parte coberta</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>F1, macro</source>
        <translation>F1, macro</translation>
    </message>
    <message>
        <source>F1, weighted</source>
        <translation>F1, ponderada</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>JPEG quality</source>
        <translation>Qualidade JPEG</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Perda</translation>
    </message>
    <message>
        <source>McNemar's test, chi-squared with continuity correction</source>
        <translation>Teste de McNemar, qui-quadrado com correção de continuidade</translation>
    </message>
    <message>
        <source>McNemar's test, exact</source>
        <translation>Teste de McNemar, exato</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Métricas</translation>
    </message>
    <message>
        <source>No significant difference between {better} and {worse}: {metric} {value} against {other}.</source>
        <translation>Sem diferença significativa entre {better} e {worse}: {metric} {value} contra {other}.</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Ruído</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisão</translation>
    </message>
    <message>
        <source>Precision, macro</source>
        <translation>Precisão, macro</translation>
    </message>
    <message>
        <source>Precision, weighted</source>
        <translation>Precisão, ponderada</translation>
    </message>
    <message>
        <source>ROC area</source>
        <translation>Área ROC</translation>
    </message>
    <message>
        <source>ROC area, macro</source>
        <translation>Área ROC, macro</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Revocação</translation>
    </message>
    <message>
        <source>Recall, macro</source>
        <translation>Revocação, macro</translation>
    </message>
    <message>
        <source>Recall, weighted</source>
        <translation>Revocação, ponderada</translation>
    </message>
    <message>
        <source>Robustness</source>
        <translation>Robustez</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Rotação</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Teste</translation>
    </message>
    <message>
        <source>This evaluation was made by an older version of Studio without a report. Evaluate again.</source>
        <translation>Esta avaliação foi feita por uma versão anterior do Studio, sem relatório. Avalie de novo.</translation>
    </message>
    <message>
        <source>This evaluation was stopped. Evaluate again to get a report.</source>
        <translation>Esta avaliação foi interrompida. Avalie de novo para obter um relatório.</translation>
    </message>
    <message>
        <source>Top-5</source>
        <translation>Top-5</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validação</translation>
    </message>
    <message>
        <source>difference between {low} and {high} points</source>
        <translation>diferença entre {low} e {high} pontos</translation>
    </message>
    <message>
        <source>levels</source>
        <translation>níveis</translation>
    </message>
    <message>
        <source>quality</source>
        <translation>qualidade</translation>
    </message>
    <message>
        <source>{better} and {worse} differ by {points} points, which is not significant (p = {p}).</source>
        <translation>{better} e {worse} diferem em {points} pontos, o que não é significativo (p = {p}).</translation>
    </message>
    <message>
        <source>{better} is significantly better than {worse}, by {points} points (p = {p}).</source>
        <translation>{better} é significativamente melhor que {worse}, por {points} pontos (p = {p}).</translation>
    </message>
    <message>
        <source>{better} is significantly better than {worse}: {metric} {value} against {other}.</source>
        <translation>{better} é significativamente melhor que {worse}: {metric} {value} contra {other}.</translation>
    </message>
    <message>
        <source>{count} images</source>
        <translation>{count} imagens</translation>
    </message>
    <message>
        <source>{count} images that only one model was evaluated on are left out</source>
        <translation>{count} imagens avaliadas com apenas um dos modelos ficam de fora</translation>
    </message>
    <message>
        <source>{count} test images of {dataset}</source>
        <translation>{count} imagens de teste de {dataset}</translation>
    </message>
    <message>
        <source>{count} training images of {dataset}</source>
        <translation>{count} imagens de treino de {dataset}</translation>
    </message>
    <message>
        <source>{count} validation images of {dataset}</source>
        <translation>{count} imagens de validação de {dataset}</translation>
    </message>
</context>
<context>
    <name>export</name>
    <message>
        <source>95th percentile of the time</source>
        <translation>Percentil 95 do tempo</translation>
    </message>
    <message>
        <source>Against the Keras model</source>
        <translation>Em relação ao modelo Keras</translation>
    </message>
    <message>
        <source>Against {base}: {figures}.</source>
        <translation>Comparado com {base}: {figures}.</translation>
    </message>
    <message>
        <source>All values in 8 bits, with ranges calibrated on training images: smallest, often fastest, least exact.</source>
        <translation>Todos os valores em 8 bits, com faixas calibradas em imagens de treino: menor, muitas vezes mais rápido, menos exato.</translation>
    </message>
    <message>
        <source>As it was trained.</source>
        <translation>Como foi treinado.</translation>
    </message>
    <message>
        <source>Certified</source>
        <translation>Certificado</translation>
    </message>
    <message>
        <source>Certified, with the differences below.</source>
        <translation>Certificado, com as diferenças abaixo.</translation>
    </message>
    <message>
        <source>Certified: same predictions as the trained model.</source>
        <translation>Certificado: as mesmas previsões do modelo treinado.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Mudança</translation>
    </message>
    <message>
        <source>Change of {metric}</source>
        <translation>Variação de {metric}</translation>
    </message>
    <message>
        <source>Check at least one format.</source>
        <translation>Marque pelo menos um formato.</translation>
    </message>
    <message>
        <source>Choose a folder by its full path first.</source>
        <translation>Escolha primeiro uma pasta pelo caminho completo.</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Escolha um modelo primeiro.</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Dia</translation>
    </message>
    <message>
        <source>Different answers</source>
        <translation>Respostas diferentes</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Formato</translation>
    </message>
    <message>
        <source>Half the size; not faster on a CPU.</source>
        <translation>Metade do tamanho; não é mais rápido em uma CPU.</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Images/s</source>
        <translation>Imagens/s</translation>
    </message>
    <message>
        <source>It agrees with the model on {share} of the images; the tolerance is {least}.</source>
        <translation>Ele concorda com o modelo em {share} das imagens; a tolerância é {least}.</translation>
    </message>
    <message>
        <source>Its {metric} is {lost} % worse than the model's; the tolerance is {most} %.</source>
        <translation>{metric}: {lost} % pior que no modelo; a tolerância é {most} %.</translation>
    </message>
    <message>
        <source>Its {metric} is {lost} points worse than the model's; the tolerance is {most}.</source>
        <translation>{metric}: {lost} pontos pior que no modelo; a tolerância é {most}.</translation>
    </message>
    <message>
        <source>Largest difference of an output</source>
        <translation>Maior diferença de uma saída</translation>
    </message>
    <message>
        <source>Main metric</source>
        <translation>Métrica principal</translation>
    </message>
    <message>
        <source>NO</source>
        <translation>NÃO</translation>
    </message>
    <message>
        <source>NOT CERTIFIED</source>
        <translation>NÃO CERTIFICADO</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Needs {packages}. Install: {command}</source>
        <translation>Precisa de {packages}. Instale: {command}</translation>
    </message>
    <message>
        <source>Not certified.</source>
        <translation>Não certificado.</translation>
    </message>
    <message>
        <source>Other programs used {share} of the processors during the measurement: latency and throughput may look worse than they are.</source>
        <translation>Outros programas usaram {share} dos processadores durante a medição: a latência e a vazão podem parecer piores do que são.</translation>
    </message>
    <message>
        <source>Processor time for one image</source>
        <translation>Tempo de processador por imagem</translation>
    </message>
    <message>
        <source>Run by</source>
        <translation>Executado por</translation>
    </message>
    <message>
        <source>Saved to {path}.</source>
        <translation>Salvo em {path}.</translation>
    </message>
    <message>
        <source>Script check</source>
        <translation>Teste do script</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamanho</translation>
    </message>
    <message>
        <source>Size of the model file</source>
        <translation>Tamanho do arquivo de modelo</translation>
    </message>
    <message>
        <source>The export is starting.</source>
        <translation>A exportação está começando.</translation>
    </message>
    <message>
        <source>The script's prediction differs from that of its model file.</source>
        <translation>A previsão do script difere da do seu arquivo de modelo.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Time for one image</source>
        <translation>Tempo para uma imagem</translation>
    </message>
    <message>
        <source>Tolerance ({metric})</source>
        <translation>Tolerância ({metric})</translation>
    </message>
    <message>
        <source>Weights in 8 bits: a quarter of the size, nearly the same predictions.</source>
        <translation>Pesos em 8 bits: um quarto do tamanho, quase as mesmas previsões.</translation>
    </message>
    <message>
        <source>Writes the checked formats to a temporary folder and compares them, before you save any.</source>
        <translation>Escreve os formatos marcados em uma pasta temporária e os compara, antes de você salvar algum.</translation>
    </message>
    <message>
        <source>Writes the files and compares them with the trained model.</source>
        <translation>Escreve os arquivos e os compara com o modelo treinado.</translation>
    </message>
    <message>
        <source>about as fast</source>
        <translation>quase tão rápido</translation>
    </message>
    <message>
        <source>as large</source>
        <translation>do mesmo tamanho</translation>
    </message>
    <message>
        <source>change: {value}</source>
        <translation>variação: {value}</translation>
    </message>
    <message>
        <source>different answer</source>
        <translation>resposta diferente</translation>
    </message>
    <message>
        <source>float16</source>
        <translation>float16</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>int8</source>
        <translation>int8</translation>
    </message>
    <message>
        <source>int8 weights</source>
        <translation>pesos int8</translation>
    </message>
    <message>
        <source>none</source>
        <translation>nenhum</translation>
    </message>
    <message>
        <source>not written</source>
        <translation>não gravado</translation>
    </message>
    <message>
        <source>same answer</source>
        <translation>mesma resposta</translation>
    </message>
    <message>
        <source>same {metric}</source>
        <translation>mesmo valor de {metric}</translation>
    </message>
    <message>
        <source>unreliable: the machine was busy</source>
        <translation>não confiável: a máquina estava ocupada</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>sim</translation>
    </message>
    <message>
        <source>{accuracy} ({low} to {high}; {where})</source>
        <translation>{accuracy} ({low} a {high}; {where})</translation>
    </message>
    <message>
        <source>{comparison} ({low} to {high})</source>
        <translation>{comparison} ({low} a {high})</translation>
    </message>
    <message>
        <source>{count} formats</source>
        <translation>{count} formatos</translation>
    </message>
    <message>
        <source>{count} formats saved.</source>
        <translation>{count} formatos salvos.</translation>
    </message>
    <message>
        <source>{count} images, {split}</source>
        <translation>{count} imagens, {split}</translation>
    </message>
    <message>
        <source>{good} of {all} certified</source>
        <translation>{good} de {all} certificados</translation>
    </message>
    <message>
        <source>{metric} {points} % better</source>
        <translation>{metric} {points} % melhor</translation>
    </message>
    <message>
        <source>{metric} {points} % worse</source>
        <translation>{metric} {points} % pior</translation>
    </message>
    <message>
        <source>{metric} {points} points better</source>
        <translation>{metric} {points} pontos melhor</translation>
    </message>
    <message>
        <source>{metric} {points} points worse</source>
        <translation>{metric} {points} pontos pior</translation>
    </message>
    <message>
        <source>{path}: true: {truth}; model: {model}; file: {file}</source>
        <translation>{path}: correto: {truth}; modelo: {model}; arquivo: {file}</translation>
    </message>
    <message>
        <source>{sign}{points} points</source>
        <translation>{sign}{points} pontos</translation>
    </message>
    <message>
        <source>{speed} per second, in batches of {batch}</source>
        <translation>{speed} por segundo, em lotes de {batch}</translation>
    </message>
    <message>
        <source>{times} times faster</source>
        <translation>{times} vezes mais rápido</translation>
    </message>
    <message>
        <source>{times} times larger</source>
        <translation>{times} vezes maior</translation>
    </message>
    <message>
        <source>{times} times slower</source>
        <translation>{times} vezes mais lento</translation>
    </message>
    <message>
        <source>{times} times smaller</source>
        <translation>{times} vezes menor</translation>
    </message>
    <message>
        <source>{value} standard deviations</source>
        <translation>{value} desvios padrão</translation>
    </message>
</context>
<context>
    <name>figures</name>
    <message>
        <source>d</source>
        <translation>d</translation>
    </message>
    <message>
        <source>from {first} to {last} over {count} epochs</source>
        <translation>de {first} a {last} ao longo de {count} épocas</translation>
    </message>
    <message>
        <source>h</source>
        <translation>h</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>{value} after one epoch</source>
        <translation>{value} após uma época</translation>
    </message>
</context>
<context>
    <name>insights</name>
    <message>
        <source>Available after the first validation.</source>
        <translation>Disponível após a primeira validação.</translation>
    </message>
    <message>
        <source>Epoch {epoch}</source>
        <translation>Época {epoch}</translation>
    </message>
    <message>
        <source>Insights are switched off in the plan of this run.</source>
        <translation>Os insights estão desativados no plano deste treino.</translation>
    </message>
    <message>
        <source>The insight files of this run were deleted.</source>
        <translation>Os arquivos de insights deste treino foram excluídos.</translation>
    </message>
    <message>
        <source>This run has no insights.</source>
        <translation>Este treino não tem insights.</translation>
    </message>
    <message>
        <source>{metric} {value} on {number} of {all} validation images</source>
        <translation>{metric} {value} em {number} de {all} imagens de validação</translation>
    </message>
    <message>
        <source>{metric} {value} on {number} validation images</source>
        <translation>{metric} {value} em {number} imagens de validação</translation>
    </message>
    <message>
        <source>{number} of {all} images</source>
        <translation>{number} de {all} imagens</translation>
    </message>
    <message>
        <source>{number} images</source>
        <translation>{number} imagens</translation>
    </message>
</context>
<context>
    <name>jobs</name>
    <message>
        <source>Pausing…</source>
        <translation>Pausando…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Iniciando…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Parando…</translation>
    </message>
</context>
<context>
    <name>map</name>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Previsão</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Certa</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Divisão</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Teste</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validação</translation>
    </message>
    <message>
        <source>Wrong</source>
        <translation>Errada</translation>
    </message>
</context>
<context>
    <name>pages</name>
    <message>
        <source>Benchmarks</source>
        <translation>Benchmarks</translation>
    </message>
    <message>
        <source>Datasets</source>
        <translation>Conjuntos</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Avaliar</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Explorar</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Início</translation>
    </message>
    <message>
        <source>Networks</source>
        <translation>Redes</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>Prever</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>Sweeps</source>
        <translation>Varreduras</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Treinar</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Lixeira</translation>
    </message>
</context>
<context>
    <name>predict</name>
    <message>
        <source>1 corrected picture</source>
        <translation>1 imagem corrigida</translation>
    </message>
    <message>
        <source>A run is in progress.</source>
        <translation>Há um treino em andamento.</translation>
    </message>
    <message>
        <source>Add corrected pictures to the dataset first.</source>
        <translation>Adicione primeiro imagens corrigidas ao conjunto de dados.</translation>
    </message>
    <message>
        <source>Adds the pictures to the training images as a new version of “{dataset}”. Validation and test images stay the same.</source>
        <translation>Adiciona as imagens às imagens de treino como uma nova versão de “{dataset}”. As imagens de validação e de teste permanecem as mesmas.</translation>
    </message>
    <message>
        <source>Adds the pictures to “{dataset}”, then trains “{model}” further.</source>
        <translation>Adiciona as imagens a “{dataset}” e depois continua o treino de “{model}”.</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Resposta</translation>
    </message>
    <message>
        <source>Choose a model whose dataset still exists.</source>
        <translation>Escolha um modelo cujo conjunto de dados ainda existe.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Classify the pictures in {count} folders with {model}</source>
        <translation>Classificar as imagens em {count} pastas com {model}</translation>
    </message>
    <message>
        <source>Classify the pictures in {name} with {model}</source>
        <translation>Classificar as imagens em {name} com {model}</translation>
    </message>
    <message>
        <source>Classify the pictures that {name} lists with {model}</source>
        <translation>Classificar as imagens que {name} lista com {model}</translation>
    </message>
    <message>
        <source>Classify these pictures with {model}</source>
        <translation>Classificar estas imagens com {model}</translation>
    </message>
    <message>
        <source>Classify this picture with {model}</source>
        <translation>Classificar esta imagem com {model}</translation>
    </message>
    <message>
        <source>Classify {count} pictures with {model}</source>
        <translation>Classificar {count} imagens com {model}</translation>
    </message>
    <message>
        <source>Comparing “{run}” with the previous model…</source>
        <translation>Comparando “{run}” com o modelo anterior…</translation>
    </message>
    <message>
        <source>Correct a wrong prediction to add its picture here.</source>
        <translation>Corrija uma previsão errada para adicionar a imagem aqui.</translation>
    </message>
    <message>
        <source>Creating “{dataset}”…</source>
        <translation>Criando “{dataset}”…</translation>
    </message>
    <message>
        <source>Fetching the picture…</source>
        <translation>Buscando a imagem…</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Carregando o modelo…</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Imagem</translation>
    </message>
    <message>
        <source>Predicting {count} pictures…</source>
        <translation>Prevendo {count} imagens…</translation>
    </message>
    <message>
        <source>Predicting…</source>
        <translation>Prevendo…</translation>
    </message>
    <message>
        <source>Qt Multimedia cannot be loaded: {reason}</source>
        <translation>O Qt Multimedia não pode ser carregado: {reason}</translation>
    </message>
    <message>
        <source>Reading the video…</source>
        <translation>Lendo o vídeo…</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Revisão</translation>
    </message>
    <message>
        <source>Review ({count})</source>
        <translation>Revisão ({count})</translation>
    </message>
    <message>
        <source>Right.</source>
        <translation>Certo.</translation>
    </message>
    <message>
        <source>Right?</source>
        <translation>Certa?</translation>
    </message>
    <message>
        <source>Run {model} on the pictures in {count} folders</source>
        <translation>Executar {model} nas imagens em {count} pastas</translation>
    </message>
    <message>
        <source>Run {model} on the pictures in {name}</source>
        <translation>Executar {model} nas imagens em {name}</translation>
    </message>
    <message>
        <source>Run {model} on the pictures that {name} lists</source>
        <translation>Executar {model} nas imagens que {name} lista</translation>
    </message>
    <message>
        <source>Run {model} on these pictures</source>
        <translation>Executar {model} nestas imagens</translation>
    </message>
    <message>
        <source>Run {model} on this picture</source>
        <translation>Executar {model} nesta imagem</translation>
    </message>
    <message>
        <source>Run {model} on {count} pictures</source>
        <translation>Executar {model} em {count} imagens</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Pontuação</translation>
    </message>
    <message>
        <source>Searching for pictures…</source>
        <translation>Procurando imagens…</translation>
    </message>
    <message>
        <source>Test images of “{dataset}” among them: {count}. They are not trained on.</source>
        <translation>Imagens de teste de “{dataset}” entre elas: {count}. Elas não são usadas no treino.</translation>
    </message>
    <message>
        <source>The dataset is still being created.</source>
        <translation>O conjunto de dados ainda está sendo criado.</translation>
    </message>
    <message>
        <source>The difference may be due to chance.</source>
        <translation>A diferença pode ser por acaso.</translation>
    </message>
    <message>
        <source>The engine ended unexpectedly and is restarting…</source>
        <translation>O mecanismo encerrou inesperadamente e está reiniciando…</translation>
    </message>
    <message>
        <source>The engine ended unexpectedly and was restarted.</source>
        <translation>O mecanismo encerrou inesperadamente e foi reiniciado.</translation>
    </message>
    <message>
        <source>The review queue is empty</source>
        <translation>A fila de revisão está vazia</translation>
    </message>
    <message>
        <source>This needs Qt Multimedia: pip install 'studio-trainer[camera]'</source>
        <translation>Isto precisa do Qt Multimedia: pip install 'studio-trainer[camera]'</translation>
    </message>
    <message>
        <source>Train “{model}” further, on “{dataset}”</source>
        <translation>Continuar o treino de “{model}”, com “{dataset}”</translation>
    </message>
    <message>
        <source>Validation images of “{dataset}” among them: {count}. They are not trained on.</source>
        <translation>Imagens de validação de “{dataset}” entre elas: {count}. Elas não são usadas no treino.</translation>
    </message>
    <message>
        <source>Waiting for the prediction…</source>
        <translation>Aguardando a previsão…</translation>
    </message>
    <message>
        <source>Wayland does not let programs capture the screen. Take a screenshot with the tool of the desktop and paste it.</source>
        <translation>O Wayland não permite que programas capturem a tela. Faça uma captura com a ferramenta do ambiente gráfico e cole-a.</translation>
    </message>
    <message>
        <source>Wrong: it is {label}.</source>
        <translation>Errado: é {label}.</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>sem resposta</translation>
    </message>
    <message>
        <source>right</source>
        <translation>certa</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>ilegível</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>errada</translation>
    </message>
    <message>
        <source>{count} corrected pictures</source>
        <translation>{count} imagens corrigidas</translation>
    </message>
    <message>
        <source>{count} pictures</source>
        <translation>{count} imagens</translation>
    </message>
    <message>
        <source>{count} pictures, {bad} unreadable</source>
        <translation>{count} imagens, {bad} ilegíveis</translation>
    </message>
    <message>
        <source>{done} of {total} pictures</source>
        <translation>{done} de {total} imagens</translation>
    </message>
    <message>
        <source>{model} · {time} per picture</source>
        <translation>{model} · {time} por imagem</translation>
    </message>
    <message>
        <source>{name}: predicted {answer} ({score}), correct class {label}</source>
        <translation>{name}: previsto {answer} ({score}), classe correta {label}</translation>
    </message>
    <message>
        <source>{prediction}: wrong, it is {label}</source>
        <translation>{prediction}: errado, é {label}</translation>
    </message>
    <message>
        <source>{share} of {known} pictures with a known class are correct</source>
        <translation>{share} de {known} imagens com classe conhecida estão corretas</translation>
    </message>
    <message>
        <source>{share} right</source>
        <translation>{share} certas</translation>
    </message>
    <message>
        <source>“{dataset}” is ready. Retrain starts from the best weights of “{model}”.</source>
        <translation>“{dataset}” está pronto. Retreinar começa dos melhores pesos de “{model}”.</translation>
    </message>
    <message>
        <source>“{dataset}” was not created. Its pictures are back in the queue.</source>
        <translation>“{dataset}” não foi criado. Suas imagens voltaram para a fila.</translation>
    </message>
    <message>
        <source>“{run}” did not finish. Retrain starts a new run.</source>
        <translation>“{run}” não terminou. Retreinar inicia um novo treino.</translation>
    </message>
    <message>
        <source>“{run}” is training on “{dataset}”…</source>
        <translation>“{run}” está treinando com “{dataset}”…</translation>
    </message>
    <message>
        <source>“{run}”: accuracy {before} → {after} on the same {images} test images, {difference} points (95 % interval {low} to {high}).</source>
        <translation>“{run}”: acurácia {before} → {after} nas mesmas {images} imagens de teste, {difference} pontos (intervalo de 95 % de {low} a {high}).</translation>
    </message>
</context>
<context>
    <name>runs</name>
    <message>
        <source>Best {metric}</source>
        <translation>Melhor {metric}</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Curva</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Conjunto de dados</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Épocas</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Grupo</translation>
    </message>
    <message>
        <source>Images/s</source>
        <translation>Imagens/s</translation>
    </message>
    <message>
        <source>Last {metric}</source>
        <translation>Última {metric}</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Rede</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notas</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parâmetros</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Iniciado</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Etiquetas</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>{heading}: click to sort, Shift+click to add a sort column</source>
        <translation>{heading}: clique para ordenar, Shift+clique para adicionar uma coluna de ordenação</translation>
    </message>
    <message>
        <source>{metric} {curve}</source>
        <translation>{metric} {curve}</translation>
    </message>
</context>
<context>
    <name>splits</name>
    <message>
        <source>Test</source>
        <translation>Teste</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validação</translation>
    </message>
</context>
<context>
    <name>spoken</name>
    <message>
        <source>; {number} misclassified</source>
        <translation>; {number} classificadas incorretamente</translation>
    </message>
    <message>
        <source>; {number} selected</source>
        <translation>; {number} selecionadas</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Linha</translation>
    </message>
    <message>
        <source>Trial {number}</source>
        <translation>Tentativa {number}</translation>
    </message>
    <message>
        <source>and {number} more</source>
        <translation>e mais {number}</translation>
    </message>
    <message>
        <source>{name}: {last} at {x} {last_at}, lowest {low} at {low_at}, highest {high} at {high_at}</source>
        <translation>{name}: {last} em {x} {last_at}, mínimo {low} em {low_at}, máximo {high} em {high_at}</translation>
    </message>
    <message>
        <source>{number} images in {count} classes: {names}</source>
        <translation>{number} imagens em {count} classes: {names}</translation>
    </message>
    <message>
        <source>{number} trials, {fields} fields</source>
        <translation>{number} tentativas, {fields} campos</translation>
    </message>
    <message>
        <source>{title}: </source>
        <translation>{title}: </translation>
    </message>
    <message>
        <source>{title}: nothing yet.</source>
        <translation>{title}: nada ainda.</translation>
    </message>
    <message>
        <source>{title}: {number} lines. </source>
        <translation>{title}: {number} linhas. </translation>
    </message>
    <message>
        <source>{trials}. One of the best: {best}.</source>
        <translation>{trials}. Uma das melhores: {best}.</translation>
    </message>
</context>
<context>
    <name>states</name>
    <message>
        <source>Completed</source>
        <translation>Concluído</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Falhou</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Perdido</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Em pausa</translation>
    </message>
    <message>
        <source>Pruned</source>
        <translation>Podado</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Na fila</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Em execução</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Iniciando</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Parado</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Parando</translation>
    </message>
</context>
<context>
    <name>sweeps</name>
    <message>
        <source>1 trial</source>
        <translation>1 tentativa</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>Intervalo de 95 %</translation>
    </message>
    <message>
        <source>A run takes about {per_run}, like the last run of this network.</source>
        <translation>Um treino leva cerca de {per_run}, como o último desta rede.</translation>
    </message>
    <message>
        <source>About {total}: {per_run} per run, like the last one, one after another.</source>
        <translation>Cerca de {total}: {per_run} por treino, como o último, um após o outro.</translation>
    </message>
    <message>
        <source>About {total}: {per_run} per run, like the last one, {workers} at a time.</source>
        <translation>Cerca de {total}: {per_run} por treino, como o último, {workers} por vez.</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>Aumento de dados</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Curva</translation>
    </message>
    <message>
        <source>Images of the dataset</source>
        <translation>Imagens do conjunto de dados</translation>
    </message>
    <message>
        <source>Layer {name}</source>
        <translation>Camada {name}</translation>
    </message>
    <message>
        <source>New trials start for {time}.</source>
        <translation>Novas tentativas começam durante {time}.</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Otimizador</translation>
    </message>
    <message>
        <source>Schedule of the learning rate</source>
        <translation>Agendamento da taxa de aprendizado</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>The time is unknown until the first trial is done: this network was not trained on this dataset yet.</source>
        <translation>O tempo é desconhecido até a primeira tentativa terminar: esta rede ainda não foi treinada com este conjunto de dados.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Treino</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>Tentativa</translation>
    </message>
    <message>
        <source>best {label} {value} in trial {number}</source>
        <translation>melhor {label} {value} na tentativa {number}</translation>
    </message>
    <message>
        <source>{count} Pareto-optimal trials</source>
        <translation>{count} tentativas ótimas de Pareto</translation>
    </message>
    <message>
        <source>{count} failed</source>
        <translation>{count} falharam</translation>
    </message>
    <message>
        <source>{done} of {total} trials</source>
        <translation>{done} de {total} tentativas</translation>
    </message>
    <message>
        <source>{done} trials</source>
        <translation>{done} tentativas</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} a {high}</translation>
    </message>
    <message>
        <source>{n} trials</source>
        <translation>{n} tentativas</translation>
    </message>
    <message>
        <source>{total} trials in total, {left} remaining</source>
        <translation>{total} tentativas no total, faltam {left}</translation>
    </message>
    <message>
        <source>{trials} with {seeds} runs each: {runs} runs in total.</source>
        <translation>{trials} com {seeds} treinos cada: {runs} treinos no total.</translation>
    </message>
    <message>
        <source>{trials}, one run each.</source>
        <translation>{trials}, um treino cada.</translation>
    </message>
    <message>
        <source>{trials}: about {time}.</source>
        <translation>{trials}: cerca de {time}.</translation>
    </message>
</context>
<context>
    <name>tasks</name>
    <message>
        <source>1 class</source>
        <translation>1 classe</translation>
    </message>
    <message>
        <source>1 label</source>
        <translation>1 rótulo</translation>
    </message>
    <message>
        <source>1 output</source>
        <translation>1 saída</translation>
    </message>
    <message>
        <source>1 quantity</source>
        <translation>1 grandeza</translation>
    </message>
    <message>
        <source>A class per pixel (segmentation)</source>
        <translation>Uma classe por pixel (segmentação)</translation>
    </message>
    <message>
        <source>A class was renamed to “{name}”</source>
        <translation>Uma classe foi renomeada para “{name}”</translation>
    </message>
    <message>
        <source>A label was renamed to “{name}”</source>
        <translation>Um rótulo foi renomeado para “{name}”</translation>
    </message>
    <message>
        <source>A quantity was renamed to “{name}”</source>
        <translation>Uma grandeza foi renomeada para “{name}”</translation>
    </message>
    <message>
        <source>Add or remove labels</source>
        <translation>Adicionar ou remover rótulos</translation>
    </message>
    <message>
        <source>Added the label “{name}” to {images}</source>
        <translation>Rótulo “{name}” adicionado a {images}</translation>
    </message>
    <message>
        <source>Adds the class to the dataset and moves the images to it.</source>
        <translation>Adiciona a classe ao conjunto de dados e move as imagens para ela.</translation>
    </message>
    <message>
        <source>Adds the label to the dataset and gives it to the selected images.</source>
        <translation>Adiciona o rótulo ao conjunto de dados e o dá às imagens selecionadas.</translation>
    </message>
    <message>
        <source>All classes</source>
        <translation>Todas as classes</translation>
    </message>
    <message>
        <source>All labels</source>
        <translation>Todos os rótulos</translation>
    </message>
    <message>
        <source>All values</source>
        <translation>Todos os valores</translation>
    </message>
    <message>
        <source>An image can show any number of things, such as a cat and a dog.</source>
        <translation>Uma imagem pode mostrar várias coisas, como um gato e um cachorro.</translation>
    </message>
    <message>
        <source>An output was renamed to “{name}”</source>
        <translation>Uma saída foi renomeada para “{name}”</translation>
    </message>
    <message>
        <source>Annotation file…</source>
        <translation>Arquivo de anotações…</translation>
    </message>
    <message>
        <source>Back to the classes</source>
        <translation>Voltar às classes</translation>
    </message>
    <message>
        <source>Back to the labels</source>
        <translation>Voltar aos rótulos</translation>
    </message>
    <message>
        <source>Back to the overview</source>
        <translation>Voltar à visão geral</translation>
    </message>
    <message>
        <source>Back to the quantities</source>
        <translation>Voltar às grandezas</translation>
    </message>
    <message>
        <source>By class</source>
        <translation>Por classe</translation>
    </message>
    <message>
        <source>By split</source>
        <translation>Por divisão</translation>
    </message>
    <message>
        <source>By true value</source>
        <translation>Pelo valor verdadeiro</translation>
    </message>
    <message>
        <source>Change their class</source>
        <translation>Mudar a classe</translation>
    </message>
    <message>
        <source>Checked labels: all selected images have them.</source>
        <translation>Rótulos marcados: todas as imagens selecionadas os têm.</translation>
    </message>
    <message>
        <source>Choose the annotation file</source>
        <translation>Escolha o arquivo de anotações</translation>
    </message>
    <message>
        <source>Choose the class file</source>
        <translation>Escolha o arquivo de classes</translation>
    </message>
    <message>
        <source>Choose the mask folder</source>
        <translation>Escolha a pasta das máscaras</translation>
    </message>
    <message>
        <source>Chooses the folder or file of the masks if they are not in the image folder.</source>
        <translation>Escolhe a pasta ou o arquivo das máscaras, se elas não estiverem na pasta das imagens.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Class {name}, {count} images</source>
        <translation>Classe {name}, {count} imagens</translation>
    </message>
    <message>
        <source>Class “{name}” no longer exists</source>
        <translation>A classe “{name}” não existe mais</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Classes from a file…</source>
        <translation>Classes de um arquivo…</translation>
    </message>
    <message>
        <source>Classes of the masks</source>
        <translation>Classes das máscaras</translation>
    </message>
    <message>
        <source>Co-occurrence</source>
        <translation>Coocorrência</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>Cor</translation>
    </message>
    <message>
        <source>Color of “{name}”</source>
        <translation>Cor de “{name}”</translation>
    </message>
    <message>
        <source>Correct and wrong labels</source>
        <translation>Rótulos corretos e errados</translation>
    </message>
    <message>
        <source>Correct one of their values</source>
        <translation>Corrigir um dos valores</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Distribuição</translation>
    </message>
    <message>
        <source>Double-click a name or a color to change it.</source>
        <translation>Clique duas vezes em um nome ou em uma cor para mudar.</translation>
    </message>
    <message>
        <source>Double-click to choose another color.</source>
        <translation>Clique duas vezes para escolher outra cor.</translation>
    </message>
    <message>
        <source>Each image has a mask that assigns a class to each pixel.</source>
        <translation>Cada imagem tem uma máscara que atribui uma classe a cada pixel.</translation>
    </message>
    <message>
        <source>Each image has one or more measured values, such as a weight.</source>
        <translation>Cada imagem tem um ou mais valores medidos, como um peso.</translation>
    </message>
    <message>
        <source>Each image shows one thing, such as a cat or a dog.</source>
        <translation>Cada imagem mostra uma coisa, como um gato ou um cachorro.</translation>
    </message>
    <message>
        <source>Enter a number first</source>
        <translation>Informe um número primeiro</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>FN</source>
        <translation>FN</translation>
    </message>
    <message>
        <source>FP</source>
        <translation>FP</translation>
    </message>
    <message>
        <source>False negatives: images with the label for which it was not predicted</source>
        <translation>Falsos negativos: imagens com o rótulo para as quais ele não foi previsto</translation>
    </message>
    <message>
        <source>False positives: images without the label for which it was predicted</source>
        <translation>Falsos positivos: imagens sem o rótulo para as quais ele foi previsto</translation>
    </message>
    <message>
        <source>Find a class</source>
        <translation>Encontrar uma classe</translation>
    </message>
    <message>
        <source>Find a label</source>
        <translation>Procurar um rótulo</translation>
    </message>
    <message>
        <source>Find a quantity</source>
        <translation>Procurar uma grandeza</translation>
    </message>
    <message>
        <source>Find an output</source>
        <translation>Procurar uma saída</translation>
    </message>
    <message>
        <source>Find or add a class</source>
        <translation>Buscar ou adicionar uma classe</translation>
    </message>
    <message>
        <source>Find or add a label</source>
        <translation>Buscar ou adicionar um rótulo</translation>
    </message>
    <message>
        <source>Finds images with a missing label.</source>
        <translation>Encontra imagens sem o rótulo.</translation>
    </message>
    <message>
        <source>Harmonic mean of precision and recall at a threshold of 0.5</source>
        <translation>Média harmônica de precisão e revocação com limiar 0,5</translation>
    </message>
    <message>
        <source>Hides images where the class covers less.</source>
        <translation>Oculta as imagens em que a classe cobre menos.</translation>
    </message>
    <message>
        <source>Hides images where the class covers more.</source>
        <translation>Oculta as imagens em que a classe cobre mais.</translation>
    </message>
    <message>
        <source>Hides images with a higher value.</source>
        <translation>Oculta imagens com valor maior.</translation>
    </message>
    <message>
        <source>Hides images with a lower value.</source>
        <translation>Oculta imagens com valor menor.</translation>
    </message>
    <message>
        <source>Highest</source>
        <translation>Maior</translation>
    </message>
    <message>
        <source>Highest value</source>
        <translation>Maior valor</translation>
    </message>
    <message>
        <source>Image folder</source>
        <translation>Pasta das imagens</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Images per class</source>
        <translation>Imagens por classe</translation>
    </message>
    <message>
        <source>Images per label</source>
        <translation>Imagens por rótulo</translation>
    </message>
    <message>
        <source>Images with masks</source>
        <translation>Imagens com máscaras</translation>
    </message>
    <message>
        <source>In the image folder</source>
        <translation>Na pasta das imagens</translation>
    </message>
    <message>
        <source>IoU {value}</source>
        <translation>IoU {value}</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Rótulo</translation>
    </message>
    <message>
        <source>Label {name}, {count} images</source>
        <translation>Rótulo {name}, {count} imagens</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Rótulos</translation>
    </message>
    <message>
        <source>Labels…</source>
        <translation>Rótulos…</translation>
    </message>
    <message>
        <source>Largest area</source>
        <translation>Maior área</translation>
    </message>
    <message>
        <source>Largest residuals</source>
        <translation>Maiores resíduos</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Deixadas de fora</translation>
    </message>
    <message>
        <source>Lists the classes whose name contains the text. A new name adds a class.</source>
        <translation>Lista as classes cujo nome contém o texto. Um novo nome adiciona uma classe.</translation>
    </message>
    <message>
        <source>Lists the labels whose name contains the text.</source>
        <translation>Lista os rótulos cujo nome contém o texto.</translation>
    </message>
    <message>
        <source>Lowest</source>
        <translation>Menor</translation>
    </message>
    <message>
        <source>Lowest value</source>
        <translation>Menor valor</translation>
    </message>
    <message>
        <source>Mask folder…</source>
        <translation>Pasta de máscaras…</translation>
    </message>
    <message>
        <source>Masks</source>
        <translation>Máscaras</translation>
    </message>
    <message>
        <source>Masks elsewhere…</source>
        <translation>Máscaras em outro lugar…</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Média</translation>
    </message>
    <message>
        <source>Mean {mean}, std. dev. {deviation}</source>
        <translation>Média {mean}, desvio-padrão {deviation}</translation>
    </message>
    <message>
        <source>Mean ± standard deviation</source>
        <translation>Média ± desvio padrão</translation>
    </message>
    <message>
        <source>Metrics of each class</source>
        <translation>Métricas de cada classe</translation>
    </message>
    <message>
        <source>Most classes first</source>
        <translation>Mais classes primeiro</translation>
    </message>
    <message>
        <source>Most confident mistakes for “{name}”</source>
        <translation>Erros mais confiantes de “{name}”</translation>
    </message>
    <message>
        <source>Most labels first</source>
        <translation>Mais rótulos primeiro</translation>
    </message>
    <message>
        <source>New class of the selected images.</source>
        <translation>Nova classe das imagens selecionadas.</translation>
    </message>
    <message>
        <source>New class “{name}”</source>
        <translation>Nova classe “{name}”</translation>
    </message>
    <message>
        <source>New label “{name}”</source>
        <translation>Novo rótulo “{name}”</translation>
    </message>
    <message>
        <source>New name of the class “{name}”</source>
        <translation>Novo nome da classe “{name}”</translation>
    </message>
    <message>
        <source>New name of the label “{name}”</source>
        <translation>Novo nome do rótulo “{name}”</translation>
    </message>
    <message>
        <source>New name of the quantity “{name}”</source>
        <translation>Novo nome da grandeza “{name}”</translation>
    </message>
    <message>
        <source>New name of “{name}”</source>
        <translation>Novo nome de “{name}”</translation>
    </message>
    <message>
        <source>New output “{name}”</source>
        <translation>Nova saída “{name}”</translation>
    </message>
    <message>
        <source>New quantity “{name}”</source>
        <translation>Nova grandeza “{name}”</translation>
    </message>
    <message>
        <source>New value of all selected images.</source>
        <translation>Novo valor de todas as imagens selecionadas.</translation>
    </message>
    <message>
        <source>No class in {all} has this name.</source>
        <translation>Nenhuma classe em {all} tem esse nome.</translation>
    </message>
    <message>
        <source>No label</source>
        <translation>Nenhum rótulo</translation>
    </message>
    <message>
        <source>No labels</source>
        <translation>Sem rótulos</translation>
    </message>
    <message>
        <source>No mask</source>
        <translation>Sem máscara</translation>
    </message>
    <message>
        <source>No mistakes: all predictions are correct.</source>
        <translation>Nenhum erro: todas as previsões estão corretas.</translation>
    </message>
    <message>
        <source>No name in {all} contains this text.</source>
        <translation>Nenhum nome em {all} contém esse texto.</translation>
    </message>
    <message>
        <source>No name of {all} contains that.</source>
        <translation>Nenhum nome de {all} contém isso.</translation>
    </message>
    <message>
        <source>Now {low} to {high}</source>
        <translation>Agora de {low} a {high}</translation>
    </message>
    <message>
        <source>Now {value}</source>
        <translation>Agora {value}</translation>
    </message>
    <message>
        <source>Numbers per image</source>
        <translation>Números por imagem</translation>
    </message>
    <message>
        <source>Of the dataset</source>
        <translation>Do conjunto de dados</translation>
    </message>
    <message>
        <source>One class per image</source>
        <translation>Uma classe por imagem</translation>
    </message>
    <message>
        <source>Only background</source>
        <translation>Só o fundo</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Saída</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Saídas</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Imagens</translation>
    </message>
    <message>
        <source>Pixel confusion</source>
        <translation>Confusão de pixels</translation>
    </message>
    <message>
        <source>Pixels</source>
        <translation>Pixels</translation>
    </message>
    <message>
        <source>Pixels per class</source>
        <translation>Pixels por classe</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisão</translation>
    </message>
    <message>
        <source>Precision by recall: {name}</source>
        <translation>Precisão por revocação: {name}</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Previsto</translation>
    </message>
    <message>
        <source>Predicted and true values</source>
        <translation>Valores previstos e verdadeiros</translation>
    </message>
    <message>
        <source>Predicted by true</source>
        <translation>Previsto por verdadeiro</translation>
    </message>
    <message>
        <source>Predicted class</source>
        <translation>Classe prevista</translation>
    </message>
    <message>
        <source>Predicted label</source>
        <translation>Rótulo previsto</translation>
    </message>
    <message>
        <source>Predicted {name}</source>
        <translation>{name} (previsto)</translation>
    </message>
    <message>
        <source>Predicted − true</source>
        <translation>Previsto − verdadeiro</translation>
    </message>
    <message>
        <source>Predicted − true {name}</source>
        <translation>{name}: previsto − verdadeiro</translation>
    </message>
    <message>
        <source>Proposed because masks were found next to the images.</source>
        <translation>Proposto porque foram encontradas máscaras junto das imagens.</translation>
    </message>
    <message>
        <source>Proposed because of these columns: {columns}.</source>
        <translation>Proposto por causa destas colunas: {columns}.</translation>
    </message>
    <message>
        <source>Proposed because these columns hold 0 and 1, or lists of labels: {columns}.</source>
        <translation>Proposto porque estas colunas contêm 0 e 1, ou listas de rótulos: {columns}.</translation>
    </message>
    <message>
        <source>Proposed because these columns hold numbers: {columns}.</source>
        <translation>Proposto porque estas colunas contêm números: {columns}.</translation>
    </message>
    <message>
        <source>Quantities</source>
        <translation>Grandezas</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>Grandeza</translation>
    </message>
    <message>
        <source>Quantity {name}, {count} images</source>
        <translation>Grandeza {name}, {count} imagens</translation>
    </message>
    <message>
        <source>Reads a text file with a line for each class: its name, its color, or both.</source>
        <translation>Lê um arquivo de texto com uma linha por classe: o nome, a cor ou ambos.</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Revocação</translation>
    </message>
    <message>
        <source>Relabel to…</source>
        <translation>Reclassificar…</translation>
    </message>
    <message>
        <source>Relabeled {images} to “{name}”</source>
        <translation>Reclassificação de {images} para “{name}”</translation>
    </message>
    <message>
        <source>Removed the label “{name}” from {images}</source>
        <translation>Rótulo “{name}” retirado de {images}</translation>
    </message>
    <message>
        <source>Residual: predicted − true. Centered at zero is unbiased, narrow is accurate.</source>
        <translation>Resíduo: previsto − verdadeiro. Centrado em zero é sem viés, estreito é preciso.</translation>
    </message>
    <message>
        <source>Residuals</source>
        <translation>Resíduos</translation>
    </message>
    <message>
        <source>Rows: true classes. Columns: predicted ones. Click a cell to see its images.</source>
        <translation>Linhas: classes verdadeiras. Colunas: classes previstas. Clique em uma célula para ver as imagens.</translation>
    </message>
    <message>
        <source>Rows: true labels. Columns: predicted labels.</source>
        <translation>Linhas: rótulos verdadeiros. Colunas: rótulos previstos.</translation>
    </message>
    <message>
        <source>Samples are the same images in every epoch. Worst images have the lowest IoU.</source>
        <translation>As amostras são as mesmas imagens em todas as épocas. As piores imagens têm o menor IoU.</translation>
    </message>
    <message>
        <source>Samples: errors</source>
        <translation>Amostras: erros</translation>
    </message>
    <message>
        <source>Samples: predicted masks</source>
        <translation>Amostras: máscaras previstas</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Pontuação</translation>
    </message>
    <message>
        <source>Scores of images</source>
        <translation>Pontuações das imagens</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Definir</translation>
    </message>
    <message>
        <source>Set value…</source>
        <translation>Definir valor…</translation>
    </message>
    <message>
        <source>Set {name} of {images} to {value}</source>
        <translation>{name} de {images} definido como {value}</translation>
    </message>
    <message>
        <source>Sets the value of all selected images; Undo restores it.</source>
        <translation>Define o valor de todas as imagens selecionadas; Desfazer o restaura.</translation>
    </message>
    <message>
        <source>Several labels per image</source>
        <translation>Vários rótulos por imagem</translation>
    </message>
    <message>
        <source>Share of images</source>
        <translation>Proporção das imagens</translation>
    </message>
    <message>
        <source>Share of pixels</source>
        <translation>Proporção de pixels</translation>
    </message>
    <message>
        <source>Show the images without this label</source>
        <translation>Mostrar as imagens sem este rótulo</translation>
    </message>
    <message>
        <source>Shows its images.</source>
        <translation>Mostra as suas imagens.</translation>
    </message>
    <message>
        <source>Shows the images from the lowest to the highest value.</source>
        <translation>Mostra as imagens do menor ao maior valor.</translation>
    </message>
    <message>
        <source>Shows the images of this class.</source>
        <translation>Mostra as imagens desta classe.</translation>
    </message>
    <message>
        <source>Shows the images that contain this class.</source>
        <translation>Mostra as imagens que contêm esta classe.</translation>
    </message>
    <message>
        <source>Shows the images with this label.</source>
        <translation>Mostra as imagens com este rótulo.</translation>
    </message>
    <message>
        <source>Smallest area</source>
        <translation>Menor área</translation>
    </message>
    <message>
        <source>Std. dev.</source>
        <translation>Desvio padrão</translation>
    </message>
    <message>
        <source>Surest mistakes</source>
        <translation>Erros com mais confiança</translation>
    </message>
    <message>
        <source>TN</source>
        <translation>VN</translation>
    </message>
    <message>
        <source>TP</source>
        <translation>VP</translation>
    </message>
    <message>
        <source>The class “{name}” no longer exists</source>
        <translation>A classe “{name}” não existe mais</translation>
    </message>
    <message>
        <source>The displayed quantity.</source>
        <translation>A grandeza mostrada.</translation>
    </message>
    <message>
        <source>The label “{name}” no longer exists</source>
        <translation>O rótulo “{name}” não existe mais</translation>
    </message>
    <message>
        <source>The mask files use this color for the class.</source>
        <translation>Os arquivos de máscara usam esta cor para a classe.</translation>
    </message>
    <message>
        <source>The names come from the files. You can rename classes after the import.</source>
        <translation>Os nomes vêm dos arquivos. Você pode renomear as classes depois da importação.</translation>
    </message>
    <message>
        <source>The output “{name}” no longer exists</source>
        <translation>A saída “{name}” não existe mais</translation>
    </message>
    <message>
        <source>The quantity “{name}” no longer exists</source>
        <translation>A grandeza “{name}” não existe mais</translation>
    </message>
    <message>
        <source>The same images in every epoch</source>
        <translation>As mesmas imagens em todas as épocas</translation>
    </message>
    <message>
        <source>True class</source>
        <translation>Classe verdadeira</translation>
    </message>
    <message>
        <source>True label</source>
        <translation>Rótulo verdadeiro</translation>
    </message>
    <message>
        <source>True negatives: images without the label for which it was not predicted</source>
        <translation>Verdadeiros negativos: imagens sem o rótulo para as quais ele não foi previsto</translation>
    </message>
    <message>
        <source>True positives: images with the label for which it was predicted</source>
        <translation>Verdadeiros positivos: imagens com o rótulo para as quais ele foi previsto</translation>
    </message>
    <message>
        <source>True {name}</source>
        <translation>{name} (verdadeiro)</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valor</translation>
    </message>
    <message>
        <source>Worst images</source>
        <translation>Piores imagens</translation>
    </message>
    <message>
        <source>false</source>
        <translation>falso</translation>
    </message>
    <message>
        <source>missed</source>
        <translation>não detectado</translation>
    </message>
    <message>
        <source>pixels of the cell</source>
        <translation>pixels da célula</translation>
    </message>
    <message>
        <source>predicted {predicted}, true {true} ({difference})</source>
        <translation>previsto {predicted}, verdadeiro {true} ({difference})</translation>
    </message>
    <message>
        <source>prediction interval</source>
        <translation>intervalo de previsão</translation>
    </message>
    <message>
        <source>right</source>
        <translation>certa</translation>
    </message>
    <message>
        <source>threshold</source>
        <translation>limiar</translation>
    </message>
    <message>
        <source>to</source>
        <translation>a</translation>
    </message>
    <message>
        <source>with the label</source>
        <translation>com o rótulo</translation>
    </message>
    <message>
        <source>with {name}</source>
        <translation>com {name}</translation>
    </message>
    <message>
        <source>with “{name}”, predicted with only {score}</source>
        <translation>com “{name}”, previsto com apenas {score}</translation>
    </message>
    <message>
        <source>without it</source>
        <translation>sem ele</translation>
    </message>
    <message>
        <source>without {name}</source>
        <translation>sem {name}</translation>
    </message>
    <message>
        <source>without “{name}”, predicted with {score}</source>
        <translation>sem “{name}”, previsto com {score}</translation>
    </message>
    <message>
        <source>{images} with another class</source>
        <translation>{images} com outra classe</translation>
    </message>
    <message>
        <source>{images} with changed masks</source>
        <translation>{images} com máscaras alteradas</translation>
    </message>
    <message>
        <source>{images} with other labels</source>
        <translation>{images} com outros rótulos</translation>
    </message>
    <message>
        <source>{images} with other targets</source>
        <translation>{images} com outros alvos</translation>
    </message>
    <message>
        <source>{images} with other values</source>
        <translation>{images} com outros valores</translation>
    </message>
    <message>
        <source>{images}; {share} of all pixels</source>
        <translation>{images}; {share} de todos os pixels</translation>
    </message>
    <message>
        <source>{name} covers</source>
        <translation>{name} cobre</translation>
    </message>
    <message>
        <source>{name} from</source>
        <translation>{name} de</translation>
    </message>
    <message>
        <source>{name}, highest first</source>
        <translation>{name}, maior primeiro</translation>
    </message>
    <message>
        <source>{name}, largest first</source>
        <translation>{name}, maior primeiro</translation>
    </message>
    <message>
        <source>{name}, lowest first</source>
        <translation>{name}, menor primeiro</translation>
    </message>
    <message>
        <source>{name}, smallest first</source>
        <translation>{name}, menor primeiro</translation>
    </message>
    <message>
        <source>{name}, {count} images</source>
        <translation>{name}, {count} imagens</translation>
    </message>
    <message>
        <source>{name}: largest errors first (predicted / true)</source>
        <translation>{name}: maiores erros primeiro (previsto / verdadeiro)</translation>
    </message>
    <message>
        <source>{name}: lowest IoU first</source>
        <translation>{name}: menor IoU primeiro</translation>
    </message>
    <message>
        <source>{name}: lowest IoU first, true masks</source>
        <translation>{name}: menor IoU primeiro, máscaras verdadeiras</translation>
    </message>
    <message>
        <source>{name}: {low} to {high}, mean {mean}</source>
        <translation>{name}: de {low} a {high}, média {mean}</translation>
    </message>
    <message>
        <source>{number} of {whole} pixels of “{row}” are predicted as “{column}” ({share})</source>
        <translation>{number} de {whole} pixels de “{row}” são previstos como “{column}” ({share})</translation>
    </message>
    <message>
        <source>{n} classes</source>
        <translation>{n} classes</translation>
    </message>
    <message>
        <source>{n} labels</source>
        <translation>{n} rótulos</translation>
    </message>
    <message>
        <source>{n} left out by the import</source>
        <translation>{n} deixadas de fora pela importação</translation>
    </message>
    <message>
        <source>{n} outputs</source>
        <translation>{n} saídas</translation>
    </message>
    <message>
        <source>{n} px</source>
        <translation>{n} px</translation>
    </message>
    <message>
        <source>{n} quantities</source>
        <translation>{n} grandezas</translation>
    </message>
    <message>
        <source>{share} · {n} px</source>
        <translation>{share} · {n} px</translation>
    </message>
    <message>
        <source>“{column}” was predicted for {number} of {whole} images with “{row}” ({share})</source>
        <translation>“{column}” foi previsto para {number} de {whole} imagens com “{row}” ({share})</translation>
    </message>
    <message>
        <source>“{name}”: largest errors first (score; ✓ if the image has the label)</source>
        <translation>“{name}”: maiores erros primeiro (pontuação; ✓ se a imagem tem o rótulo)</translation>
    </message>
</context>
<context>
    <name>tour</name>
    <message>
        <source>All {count} pictures are classified correctly; least certain: {truth} ({share}). Now drop a picture of your own here, or use your own images.</source>
        <translation>Todas as {count} imagens são classificadas corretamente; a menos certa: {truth} ({share}). Agora solte aqui uma imagem sua ou use suas próprias imagens.</translation>
    </message>
    <message>
        <source>Epoch {epoch} of {epochs}: {share} of the validation images are classified correctly. When the dashed curve stops rising, more training does not help.</source>
        <translation>Época {epoch} de {epochs}: {share} das imagens de validação classificadas corretamente. Quando a curva tracejada para de subir, treinar mais não ajuda.</translation>
    </message>
    <message>
        <source>Importing 1,797 small pictures of handwritten digits: each is read once, resized and stored in the workspace.</source>
        <translation>Importando 1.797 imagens pequenas de dígitos manuscritos: cada uma é lida uma vez, redimensionada e guardada no espaço de trabalho.</translation>
    </message>
    <message>
        <source>LeNet is a small network designed for digits. Here you can choose another network or change the training settings. The tour keeps the defaults and starts the training.</source>
        <translation>A LeNet é uma rede pequena, feita para dígitos. Aqui você pode escolher outra rede ou mudar as configurações do treino. O tour mantém os padrões e inicia o treino.</translation>
    </message>
    <message>
        <source>Saved in the review queue as {label}; from there it can be added to the dataset. Now drop a picture of your own here, or use your own images.</source>
        <translation>Salva na fila de revisão como {label}; de lá pode ser adicionada ao conjunto de dados. Agora solte aqui uma imagem sua ou use suas próprias imagens.</translation>
    </message>
    <message>
        <source>Step {number} of {total} · {title}</source>
        <translation>Passo {number} de {total} · {title}</translation>
    </message>
    <message>
        <source>Ten classes, one for each digit. Most images are for training. Some are held out to test the network on images that it has never seen.</source>
        <translation>Dez classes, uma para cada dígito. A maioria das imagens é de treino. Algumas ficam reservadas para testar a rede com imagens que ela nunca viu.</translation>
    </message>
    <message>
        <source>The answer</source>
        <translation>A resposta</translation>
    </message>
    <message>
        <source>The images</source>
        <translation>As imagens</translation>
    </message>
    <message>
        <source>The network</source>
        <translation>A rede</translation>
    </message>
    <message>
        <source>The network now classifies five pictures that it was not trained on.</source>
        <translation>A rede agora classifica cinco imagens que não foram usadas no treino.</translation>
    </message>
    <message>
        <source>The network sees all images several times, and its weights are updated after each batch. One pass over all images is an epoch. Training starts in a few seconds.</source>
        <translation>A rede vê todas as imagens várias vezes, e seus pesos são atualizados após cada lote (batch). Uma passada por todas as imagens é uma época. O treino começa em alguns segundos.</translation>
    </message>
    <message>
        <source>The picture could not be read. Drop another one here.</source>
        <translation>A imagem não pôde ser lida. Solte outra aqui.</translation>
    </message>
    <message>
        <source>The tour is paused while you are on another page. Running jobs continue.</source>
        <translation>O tour fica em pausa enquanto você está em outra página. Os trabalhos em execução continuam.</translation>
    </message>
    <message>
        <source>The tour stopped. {reason}</source>
        <translation>O tour parou. {reason}</translation>
    </message>
    <message>
        <source>The training</source>
        <translation>O treino</translation>
    </message>
    <message>
        <source>The training is stopping. The best model so far is kept.</source>
        <translation>O treino está parando. O melhor modelo até agora é mantido.</translation>
    </message>
    <message>
        <source>Training is done: {share} of the validation images are classified correctly. The curves show how accuracy and loss changed. Click Next to try the network.</source>
        <translation>O treino terminou: {share} das imagens de validação são classificadas corretamente. As curvas mostram como a acurácia e a perda mudaram. Clique em Avançar para testar a rede.</translation>
    </message>
    <message>
        <source>You can correct a wrong prediction at any time. Now drop a picture of your own here, or use your own images.</source>
        <translation>Você pode corrigir uma previsão errada a qualquer momento. Agora solte aqui uma imagem sua ou use suas próprias imagens.</translation>
    </message>
    <message>
        <source>{right} of {count} pictures are classified correctly. The outlined one is {truth}, but the network predicts {prediction} ({share}). Click “Wrong? It is…” and choose {truth}.</source>
        <translation>{right} de {count} imagens são classificadas corretamente. A contornada é {truth}, mas a rede prevê {prediction} ({share}). Clique em “Errado? É…” e escolha {truth}.</translation>
    </message>
</context>
<context>
    <name>weights_file</name>
    <message>
        <source>Weights (*.h5 *.hdf5 *.keras *.zip)</source>
        <translation>Pesos (*.h5 *.hdf5 *.keras *.zip)</translation>
    </message>
    <message>
        <source>Weights or a model</source>
        <translation>Pesos ou um modelo</translation>
    </message>
</context>
</TS>
